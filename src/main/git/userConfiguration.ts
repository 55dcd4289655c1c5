/** A setting outside the repository: the user's or the machine's. */
export interface UserSetting {
  /** As printed by git: section and name in lower case. */
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

/** Whether a filter's value is one configured by `git lfs install`. */
export function isGitLfs(value: string): boolean {
  return gitLfs.test(value)
}

/**
 * Returns the program that a user setting may make git start when it reads a repository, as a name on PATH or an
 * absolute path. Null if there is none. Undefined if uncertain: arguments could name a script in the workspace, and a
 * submodule has its own configuration. Ignores `core.hooksPath`.
 */
export function programOfUser({ key, value }: UserSetting): string | null | undefined {
  const harmless = Object.hasOwn(entering, key) ? entering[key] : undefined
  if (harmless !== undefined) return harmless.test(value) ? null : undefined
  if (!programs.test(key) || value === '' || (key === 'core.fsmonitor' && boolean.test(value))) return null
  if (isGitLfs(value)) return 'git-lfs'
  return /^(?:[\w.+-]+|\/[\w.+/-]+)$/.test(value) ? value : undefined
}
