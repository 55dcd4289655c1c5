/** A setting outside the repository: of the user, or of the machine. */
export interface UserSetting {
  /** As git prints it: section and name in lower case. */
  key: string
  value: string
}

/** Settings with a program that git may start when it reads a repository. A pager is overridden for commands. */
const programs =
  /^(?:core\.fsmonitor|diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|gpg\.(?:.+\.)?program)$/s
/** Settings that make git run in submodules, and their harmless values. */
const entering: Readonly<Record<string, RegExp>> = {
  'diff.submodule': /^(?:short|log)$/,
  'status.submodulesummary': /^(?:false|no|off|0)$/i,
  'submodule.recurse': /^(?:false|no|off|0)$/i,
}
const boolean = /^(?:true|false|yes|no|on|off|[01])$/i
/** The programs that `git lfs install` configures. */
const gitLfs = /^git-lfs (?:clean -- %f|smudge (?:--skip )?-- %f|filter-process(?: --skip)?)$/

/** Whether the value of a filter is one that `git lfs install` configures. */
export function isGitLfs(value: string): boolean {
  return gitLfs.test(value)
}

/**
 * Returns the program that git may start because of a setting of the user when it reads a repository, as a name on PATH
 * or an absolute path. Null if there is none. Undefined if it is uncertain: arguments could name a script of the
 * workspace, and a submodule has a configuration of its own. `core.hooksPath` is not considered.
 */
export function programOfUser({ key, value }: UserSetting): string | null | undefined {
  const harmless = Object.hasOwn(entering, key) ? entering[key] : undefined
  if (harmless !== undefined) return harmless.test(value) ? null : undefined
  if (!programs.test(key) || value === '' || (key === 'core.fsmonitor' && boolean.test(value))) return null
  if (isGitLfs(value)) return 'git-lfs'
  return /^(?:[\w.+-]+|\/[\w.+/-]+)$/.test(value) ? value : undefined
}
