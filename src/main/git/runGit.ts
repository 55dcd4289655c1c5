import { decodeOutput } from '../base/textFormat.ts'
import { safeSearchPath } from '../base/programSearch.ts'
import { runGitProcess } from './gitProcess.ts'

/** Input of one git process. */
export interface GitRun {
  args: readonly string[]
  /**
   * Absolute working folder. The process starts in the root of the file system, so that no program in this folder is
   * run as `git`.
   */
  folder: string
  /** Overrides every configuration file. */
  config?: Readonly<Record<string, string>>
  /** Standard input. */
  input?: string
  /** Maximum bytes of standard output; git is stopped when it writes more. Default 1 MiB. */
  maxBytes?: number
  signal: AbortSignal
}

export interface GitOutcome {
  code: number | null
  stdout: string
  stderr: string
  /** Whether there was more output than `maxBytes`. */
  truncated: boolean
}

const defaultMaxBytes = 1024 * 1024
const timeoutMs = 60_000

/**
 * Overrides of settings that would make git start a program or leave the folder (git-config(1)). Filters have
 * individual names and are added per repository.
 */
const neutral: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.askPass': '',
  'core.sshCommand': 'false',
  'core.gitProxy': '',
  'core.alternateRefsCommand': '',
  'core.quotePath': 'false',
  'credential.helper': '',
  'diff.external': '',
  'diff.submodule': 'short',
  'diff.ignoreSubmodules': 'dirty',
  'status.submoduleSummary': 'false',
  'submodule.recurse': 'false',
  'log.showSignature': 'false',
  'commit.gpgSign': 'false',
  'commit.template': '',
  'commit.verbose': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
}

/**
 * Returns the user's environment with the given configuration, without GIT_ variables. Removes relative and open
 * folders from PATH, because git starts programs by name.
 */
export function gitEnvironment(
  source: NodeJS.ProcessEnv,
  config: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || /^GIT_/i.test(name)) continue
    environment[name] = /^path$/i.test(name) ? safeSearchPath(value) : value
  }
  // Variables instead of `-c`, because a filter's name may contain a "=".
  const entries = Object.entries({ ...neutral, ...config })
  for (const [index, [key, value]] of entries.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key
    environment[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return {
    ...environment,
    GIT_CONFIG_COUNT: String(entries.length),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    // Prevents a partial clone from fetching objects through a configured program, because no protocol is allowed.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: ':',
    LC_ALL: 'C.UTF-8',
    LANGUAGE: 'C',
  }
}

/**
 * Runs git without a shell for at most 60 seconds. A nonzero exit code is a result, not an exception.
 * @throws ToolError `command_not_found`, `io_error`, `timeout`; or the signal's reason
 */
export async function runGit({ config = {}, maxBytes = defaultMaxBytes, ...run }: GitRun): Promise<GitOutcome> {
  const { output, ...result } = await runGitProcess({
    ...run,
    env: gitEnvironment(process.env, config),
    maxBytes,
    timeoutMs,
  })
  return { ...result, stdout: decodeOutput(output) }
}
