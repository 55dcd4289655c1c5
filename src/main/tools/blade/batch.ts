import { z } from 'zod'
import { ToolError, type Failure } from '../../../shared/errors.ts'
import type { CallLine, ToolResult } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool, type NestedCall, type Tool } from '../common/toolDefinition.ts'
import { capValue } from '../common/searchReport.ts'

const maxParallelCalls = 16

const callSchema = z.preprocess(
  withToolName,
  z.strictObject({
    tool: z.string().describe('Read-only tool.'),
    arguments: z.record(z.string(), z.unknown()).optional().describe('Its arguments.'),
  }),
)
type Call = z.output<typeof callSchema>
type PreparedCall = Call & { prepared: NestedCall }

/**
 * Fields as in Blade's document. `output` is text, or the value of a JSON result; `error` is a failure with code and
 * next step.
 */
interface Entry {
  index: number
  tool: string
  ok: boolean
  output?: unknown
  error?: Failure
  skipped?: true
  elapsed_ms: number
}

/** Maximum UTF-16 units of each call's text in the panel. */
const maxRowText = 4000

export const batch = defineTool({
  name: 'batch',
  title: 'Several calls at once',
  description:
    'Runs several read-only tool calls at the same time and returns the result or error of each, as JSON. A batch with a call that writes, runs a command, uses the network or moves the editor is refused as a whole.',
  risk: 'read',
  serial: true,
  schema: () =>
    z.object({
      calls: z.array(callSchema).min(1).describe('Calls.'),
      max_parallel: z
        .number()
        .int()
        .min(1)
        .default(8)
        .describe(`Calls that run at the same time (at most ${maxParallelCalls}).`),
      fail_fast: z.boolean().default(false).describe('Start no further call after the first failure.'),
      ordered: z
        .boolean()
        .default(true)
        .describe('Results in the order of the calls; otherwise in order of completion.'),
      cancel_after_ms: z.number().int().min(1).optional().describe('Milliseconds after which all calls are cancelled.'),
    }),
  examples: [
    {
      calls: [
        { tool: 'read_file', arguments: { path: 'README.md' } },
        { tool: 'grep_search', arguments: { pattern: 'TODO', path: 'src' } },
      ],
    },
    {
      calls: [
        { tool: 'list_dir', arguments: { path: 'src' } },
        { tool: 'symbol_search', arguments: { query: 'main' } },
      ],
      max_parallel: 2,
      fail_fast: true,
      cancel_after_ms: 5000,
    },
  ],
  async run(args, { nested, signal }) {
    if (!nested)
      throw new ToolError('invalid_arguments', 'A batch cannot be part of another call.', 'Make the calls one by one.')
    const calls = args.calls.map((call) => ({ ...call, prepared: nested.prepare(call.tool, call.arguments ?? {}) }))
    refuseUnsafeCalls(calls)
    const started = performance.now()
    const parallel = capValue('max_parallel', args.max_parallel, maxParallelCalls)
    const limit = args.cancel_after_ms === undefined ? undefined : timeLimit(args.cancel_after_ms)
    try {
      const { entries, ended, results } = await runAll(calls, {
        parallel: parallel.value,
        failFast: args.fail_fast,
        limit,
        signal,
      })
      signal.throwIfAborted()
      const succeeded = entries.filter((entry) => entry.ok).length
      const answer = {
        results: args.ordered ? entries : ended,
        meta: {
          total: entries.length,
          succeeded,
          failed: entries.length - succeeded,
          elapsed_ms: milliseconds(performance.now() - started),
          cancelled: limit?.signal.aborted ?? false,
          max_parallel: parallel.value,
          fail_fast: args.fail_fast,
          ordered: args.ordered,
        },
        ...(parallel.note === '' ? {} : { note: parallel.note }),
      }
      // Each result has already been truncated, so the total includes the bytes that were dropped then.
      const dropped = [...results.values()].reduce((sum, { droppedBytes = 0 }) => sum + droppedBytes, 0)
      return {
        text: JSON.stringify(answer, null, 1),
        format: 'json',
        ...(dropped > 0 && { missing: { lines: 0, bytes: dropped } }),
        readMoreHint: 'To read what is missing, put fewer calls into a batch, or make the call separately',
        view: {
          kind: 'calls',
          calls: entries.map((entry) => callLine(entry, args.calls[entry.index], results.get(entry.index))),
        },
      }
    } finally {
      limit?.clear()
    }
  },
})

/** Accepts the tool name as `name`, which some models use and Blade's document allows. */
function withToolName(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('name' in value) || 'tool' in value) return value
  const { name, ...rest } = value
  return { tool: name, ...rest }
}

/**
 * Unknown and disabled tools are not refused here, because only their own call fails.
 * @throws ToolError invalid_arguments if a call is not read-only
 */
function refuseUnsafeCalls(calls: readonly PreparedCall[]): void {
  const refused = calls.flatMap(({ tool, prepared }, index) => {
    const why = prepared.tool && refusalReason(prepared.tool)
    return why === undefined ? [] : [`calls[${index}] ${tool} (${why})`]
  })
  if (refused.length === 0) return
  throw new ToolError(
    'invalid_arguments',
    `Not allowed inside a batch: ${refused.join(', ')}. No call was run.`,
    'Keep only read-only tools in the batch, and call the others separately.',
  )
}

function refusalReason({ name, risk, effect }: Tool): string | undefined {
  if (risk !== 'read') return `its risk is "${risk}"`
  if (name === 'batch') return 'a batch cannot contain a batch'
  return effect === undefined ? undefined : 'it is not read-only'
}

interface TimeLimit {
  ms: number
  signal: AbortSignal
  clear(): void
}

function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), Math.min(ms, 2 ** 31 - 1))
  return { ms, signal: controller.signal, clear: () => clearTimeout(timer) }
}

interface RunOptions {
  parallel: number
  failFast: boolean
  limit: TimeLimit | undefined
  signal: AbortSignal
}

/** Returns a call for the panel. */
function callLine(entry: Entry, call: Call | undefined, result: ToolResult | undefined): CallLine {
  const { tool, ok, error, elapsed_ms: elapsedMs } = entry
  const text = error?.message ?? result?.text ?? ''
  return {
    tool,
    ok,
    elapsedMs,
    arguments: result?.arguments ?? call?.arguments ?? {},
    text: text.slice(0, maxRowText),
    view: result?.view ?? { kind: 'text' },
  }
}

interface Run {
  /** One entry per call, in the order of the calls. */
  entries: Entry[]
  /** The same entries in order of completion. */
  ended: Entry[]
  /** Results by call index. Calls that were not started have none. */
  results: Map<number, ToolResult>
}

async function runAll(calls: readonly PreparedCall[], options: RunOptions): Promise<Run> {
  const { parallel, failFast, limit, signal } = options
  const ended: Entry[] = []
  const results: Run['results'] = new Map()
  const queue = calls.entries()
  let failed: Entry | undefined

  /** Runs calls from the shared queue until it is empty or the batch stops. */
  async function worker(): Promise<void> {
    for (const [index, call] of queue) {
      const entry = skippedEntry(index, call.tool) ?? (await runOne(index, call))
      if (!entry.ok && !entry.skipped) failed ??= entry
      ended.push(entry)
    }
  }

  async function runOne(index: number, { tool, prepared }: PreparedCall): Promise<Entry> {
    const result = await prepared.run(limit?.signal)
    results.set(index, result)
    const { ok, text, format, error, elapsedMs } = result
    const base = { index, tool, ok, elapsed_ms: milliseconds(elapsedMs) }
    if (ok) return { ...base, output: format === 'json' ? jsonValue(text) : text }
    const late = limit?.signal.aborted && error?.code === 'cancelled'
    return { ...base, error: late ? timeoutFailure(limit, 'Cancelled') : error }
  }

  function skippedEntry(index: number, tool: string): Entry | undefined {
    const entry = (error: Failure): Entry => ({ index, tool, ok: false, skipped: true, error, elapsed_ms: 0 })
    if (signal.aborted) return entry({ code: 'cancelled', message: 'The batch was cancelled.', next: '' })
    if (limit?.signal.aborted) return entry(timeoutFailure(limit, 'Not run'))
    if (!failFast || !failed) return undefined
    return entry({
      code: 'cancelled',
      message: `Not run: calls[${failed.index}] ${failed.tool} failed and fail_fast is set.`,
      next: 'Correct that call, or omit fail_fast.',
    })
  }

  await Promise.all(Array.from({ length: Math.min(parallel, calls.length) }, worker))
  return { entries: ended.toSorted((a, b) => a.index - b.index), ended, results }
}

function timeoutFailure({ ms }: TimeLimit, what: string): Failure {
  return {
    code: 'timeout',
    message: `${what}: the batch reached its limit of ${plural(ms, 'millisecond')}.`,
    next: 'Raise cancel_after_ms, or put fewer calls into the batch.',
  }
}

/**
 * Parses a JSON result, because JSON inside a JSON string has escaped quotes and cannot be truncated field by field.
 */
function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the text is the result.
    return text
  }
}

/** Rounds to two decimals, because reads take less than a millisecond. */
function milliseconds(value: number): number {
  return Math.round(value * 100) / 100
}
