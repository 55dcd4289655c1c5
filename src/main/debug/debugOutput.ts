import { Delayer } from '../../shared/async/delayer.ts'
import type { DebugOutput } from '../../shared/debug/debug.ts'
import { toFailure, ToolError } from '../../shared/errors.ts'
import type { AdapterProcess } from './adapterProcess.ts'

/** Characters kept of the output of a session. */
const maxOutput = 1_000_000
/** Milliseconds in which output is sent as one. */
const outputDelay = 50
/** Characters of output sent at once. Of a flood, earlier ones are left out. */
const maxBatch = 200_000
/** Characters of standard output for results of calls. */
const maxStandardOutput = 20_000
/** Characters of output in the error of a failed start. */
const maxFailureOutput = 4000

/** What a session has printed. */
export interface KeptOutput {
  output: string
  standardOutput: string
  /** Characters so far. */
  length: number
}

export const noOutput: Readonly<KeptOutput> = { output: '', standardOutput: '', length: 0 }

/** Keeps output. @returns its range */
export function keepOutput(entry: KeptOutput, { text, category }: DebugOutput): { from: number; to: number } {
  const from = entry.length
  entry.length += text.length
  if (category === 'stdout') entry.standardOutput = (entry.standardOutput + text).slice(-maxStandardOutput)
  entry.output += text
  if (entry.output.length > maxOutput * 1.5) entry.output = entry.output.slice(-maxOutput)
  return { from, to: entry.length }
}

/** Returns what is kept of the output after its first `from` characters. */
export function outputFrom(
  { output, length }: KeptOutput,
  from: number,
): { text: string; truncated: boolean; to: number } {
  const first = length - output.length
  return { text: output.slice(Math.max(0, from - first)), truncated: from < first, to: length }
}

/** Adds what the debugger and the program printed to the error of a failed start. */
export function withOutput(error: unknown, adapter: AdapterProcess, output: string): ToolError {
  const { code, message, next } = toFailure(error)
  const detail = [adapter.printed(), output]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n')
    .slice(-maxFailureOutput)
  return new ToolError(code, message, next, { cause: error, ...(detail !== '' && { detail }) })
}

/** Joins output of one category, and leaves out what nobody can read. */
export function createOutputBatches(onOutput: (output: DebugOutput) => void): {
  add(output: DebugOutput): void
  flush(): void
  dispose(): void
} {
  let pending: DebugOutput[] = []
  /** Index of the first output that is sent. */
  let first = 0
  let size = 0
  let omitted = 0
  const delayer = new Delayer(flush, outputDelay)

  function flush(): void {
    const batch = joined(pending.slice(first))
    const missing = omitted
    pending = []
    first = 0
    size = 0
    omitted = 0
    const [oldest] = batch
    if (missing > 0 && oldest !== undefined)
      onOutput({
        sessionId: oldest.sessionId,
        category: 'important',
        text: `… ${missing} characters are not shown …\n`,
      })
    for (const output of batch) onOutput(output)
  }

  return {
    add(output) {
      pending.push(output)
      size += output.text.length
      // What was printed last, for example an error, matters most.
      for (let oldest = pending[first]; size > maxBatch && first < pending.length - 1; oldest = pending[first]) {
        size -= oldest?.text.length ?? 0
        omitted += oldest?.text.length ?? 0
        first += 1
      }
      delayer.start()
    },
    flush,
    dispose: () => delayer.cancel(),
  }
}

/** Joins outputs that follow each other in one category. */
function joined(outputs: readonly DebugOutput[]): DebugOutput[] {
  const groups: DebugOutput[][] = []
  for (const output of outputs) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    const fits = last?.sessionId === output.sessionId && last.category === output.category && canJoin(last, output)
    if (group && fits) group.push(output)
    else groups.push([output])
  }
  return groups.flatMap((group) => {
    const [output] = group
    if (output === undefined) return []
    const [start, end] = [output.range, group.at(-1)?.range]
    return [
      {
        ...output,
        text: group.map(({ text }) => text).join(''),
        ...(start && end && { range: { from: start.from, to: end.to } }),
      },
    ]
  })
}

const canJoin = (first: DebugOutput, second: DebugOutput): boolean =>
  [first, second].every((output) => output.reference === undefined && output.path === undefined)
