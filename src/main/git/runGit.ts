import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/errorCode.ts'
import { startFailure, startProcess } from '../base/startProcess.ts'

/** One run of git. */
export interface GitRun {
  args: readonly string[]
  /** Absolute folder; the process itself starts at the root of the disk, so that no program of this folder is found as `git`. */
  folder: string
  /** Laid over every configuration file. */
  config?: Readonly<Record<string, string>>
  /** For standard input. */
  input?: string
  /** Bytes of standard output that are kept; git is ended when it writes more. Default 1 MiB. */
  maxBytes?: number
  signal: AbortSignal
}

export interface GitOutcome {
  code: number | null
  stdout: string
  stderr: string
  /** There was more than `maxBytes`. */
  cut: boolean
}

const defaultMaxBytes = 1024 * 1024
const maxErrorBytes = 16 * 1024
const timeoutMs = 60_000
/** Time for git to remove its lock files after SIGTERM. */
const graceMs = 3_000

/**
 * What a repository's configuration may not decide, because git would run it or leave the folder for it (git-config(1)).
 * Filters have names of their own and are added for each repository.
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

/** Git's environment: the user's without any GIT_ variable or relative folder of programs, and the given configuration. */
export function gitEnvironment(
  source: NodeJS.ProcessEnv,
  config: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || /^GIT_/i.test(name)) continue
    environment[name] = /^path$/i.test(name)
      ? value
          .split(path.delimiter)
          .filter((folder) => path.isAbsolute(folder))
          .join(path.delimiter)
      : value
  }
  // Variables and not `-c`: the name of a filter may hold a "=".
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
    // A partial clone would fetch what is missing, through any program its configuration names. The list of protocols is empty.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: ':',
    LC_ALL: 'C.UTF-8',
    LANGUAGE: 'C',
  }
}

/**
 * Runs git without a shell, 60 s at most. A run that ends with an error code is an outcome and not an exception.
 * Throws `command_not_found`, `io_error`, `timeout`, and the signal's reason.
 */
export async function runGit({
  args,
  folder,
  config = {},
  input,
  maxBytes = defaultMaxBytes,
  signal,
}: GitRun): Promise<GitOutcome> {
  signal.throwIfAborted()
  const limit = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, limit])
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const child = startProcess('git', ['--no-pager', '-C', folder, ...args], {
    cwd: path.parse(folder).root,
    env: gitEnvironment(process.env, config),
    windowsHide: true,
  })
  const output: Buffer[] = []
  let kept = 0
  let cut = false
  let errors = ''
  let grace: NodeJS.Timeout | undefined

  const stop = (): void => {
    child.kill('SIGTERM')
    grace ??= setTimeout(() => {
      child.kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }, graceMs)
  }
  child.stdout.on('data', (chunk: Buffer) => {
    if (cut) return
    output.push(chunk.subarray(0, maxBytes - kept))
    kept += chunk.length
    if (kept <= maxBytes) return
    cut = true
    stop()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < maxErrorBytes) errors += chunk.toString('utf8')
  })
  // Git may end before it has read everything; its exit code tells.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  child.once('error', (error) => reject(errorCode(error) === 'ENOENT' ? error : startFailure('git', error)))
  child.once('close', (code) => resolve(code))
  either.addEventListener('abort', stop, { once: true })

  try {
    const code = await promise
    signal.throwIfAborted()
    if (limit.aborted)
      throw new ToolError(
        'timeout',
        `git took longer than ${timeoutMs / 1000} seconds and was ended.`,
        'Name a smaller repository, or ask the user to run git in a terminal.',
      )
    return { code, stdout: Buffer.concat(output).toString('utf8'), stderr: errors.trim(), cut }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    throw new ToolError('command_not_found', 'git is not installed, or not on PATH.', 'Ask the user to install git.', {
      cause,
    })
  } finally {
    clearTimeout(grace)
    either.removeEventListener('abort', stop)
  }
}
