import { once } from 'node:events'
import { ToolError } from '../../shared/errors.ts'
import { startFailure, startProcess } from '../base/startProcess.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import type { FilterOutcome, FilterRequest } from './commandTypes.ts'
import type { Jobs, ProcessTracking } from './jobTypes.ts'
import type { Sandbox } from './sandbox/sandboxTypes.ts'
import { programInvocation, commandLine } from './shellProgram.ts'

export interface TextFilterDeps {
  plan: Jobs['plan']
  processes: ProcessTracking
  /** Environment of this process. */
  source: NodeJS.ProcessEnv
  sandbox?: Sandbox
  passedVariables?(): readonly string[]
}

/** Maximum characters of standard output. */
const maxOutput = 64 * 1024 * 1024
/** Maximum characters kept of standard error. The end is kept, because it has the reason. */
const maxErrors = 16 * 1024

/** Returns `Jobs.filter`: like a command, but with pipes, because a terminal changes text that passes through it. */
export function createTextFilter({ plan, processes, source, sandbox, passedVariables }: TextFilterDeps) {
  return async (
    { program, args, cwd, input, timeoutMs }: FilterRequest,
    signal: AbortSignal,
  ): Promise<FilterOutcome> => {
    signal.throwIfAborted()
    const environment = commandEnvironment(source, passedVariables?.())
    const how = await plan(commandLine(program, args), 'sandbox')
    const plain = await programInvocation({ file: program, args: [...args] }, environment)
    const entered =
      how.sandboxed && sandbox !== undefined
        ? await sandbox.enter({ invocation: plain, environment, cwd, network: how.network })
        : undefined
    const { file, args: allArgs } = entered?.invocation ?? plain
    try {
      const tag = await processes.begin()
      const child = startProcess(file, allArgs, {
        cwd,
        env: { ...(entered?.environment ?? environment), [processes.variable]: tag },
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      try {
        await once(child, 'spawn', { signal })
      } catch (error) {
        throw startFailure(program, error)
      }
      const { pid } = child
      if (pid === undefined) throw startFailure(program, new Error('it has no process id'))
      processes.started(pid)
      const end = (): void => void processes.end(pid, tag)
      const limit = AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, limit])
      either.addEventListener('abort', end, { once: true })
      try {
        const outcome = await readOutcome(child, input, end)
        signal.throwIfAborted()
        if (limit.aborted)
          throw new ToolError('timeout', `It took longer than ${timeoutMs / 1000} seconds and was stopped.`)
        return outcome
      } finally {
        either.removeEventListener('abort', end)
      }
    } finally {
      await entered?.release()
    }
  }
}

/** Passes the text to a program and collects what it writes. @param end ends the program */
async function readOutcome(
  child: ReturnType<typeof startProcess>,
  input: string,
  end: () => void,
): Promise<FilterOutcome> {
  const chunks: string[] = []
  let length = 0
  let errors = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    length += text.length
    if (length <= maxOutput) chunks.push(text)
    else end()
  })
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrors)
  })
  // The program may end before it has read all input. Its exit code reports that.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const closed = Promise.withResolvers<number | null>()
  child.once('close', (code) => closed.resolve(code))
  child.once('error', closed.reject)
  const exitCode = await closed.promise
  if (length > maxOutput) throw new ToolError('too_large', 'It wrote more than 64 MB and was stopped.')
  return { exitCode, output: chunks.join(''), errors: errors.trim() }
}
