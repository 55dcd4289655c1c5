import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { ToolError } from '../../shared/errors.ts'
import type { FilterOutcome, FilterRequest, StartConfinedProgram } from './commandTypes.ts'

/** Maximum characters of standard output. */
const maxOutput = 64 * 1024 * 1024
/** Maximum characters kept of standard error. The end is kept, because it has the reason. */
const maxErrors = 16 * 1024

/** Returns `Jobs.filter`: like a command, but with pipes, because a terminal changes text that passes through it. */
export function createTextFilter(start: StartConfinedProgram) {
  return async ({ input, timeoutMs, ...program }: FilterRequest, signal: AbortSignal): Promise<FilterOutcome> => {
    const { child, end, release } = await start(program, signal)
    try {
      const stop = (): void => void end()
      const limit = AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, limit])
      either.addEventListener('abort', stop, { once: true })
      try {
        const outcome = await readOutcome(child, input, stop)
        signal.throwIfAborted()
        if (limit.aborted)
          throw new ToolError('timeout', `It took longer than ${timeoutMs / 1000} seconds and was stopped.`)
        return outcome
      } finally {
        either.removeEventListener('abort', stop)
      }
    } finally {
      await release()
    }
  }
}

/** Passes the text to a program and collects what it writes. @param end ends the program */
async function readOutcome(
  child: ChildProcessWithoutNullStreams,
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
