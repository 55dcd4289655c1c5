import { joinLines } from './notebook.ts'

/** Output of a cell, with texts joined. */
export type CellOutput =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | {
      output_type: 'display_data' | 'execute_result'
      data: Record<string, unknown>
      metadata: Record<string, unknown>
      execution_count?: number | null
    }
  | { output_type: 'error'; ename: string; evalue: string; traceback: string[] }

/** A message of a kernel that changes the outputs of a cell. */
export type OutputMessage =
  | CellOutput
  | { output_type: 'clear'; wait: boolean }
  | { output_type: 'update'; displayId: string; data: Record<string, unknown>; metadata: Record<string, unknown> }

/** Characters of text that a cell keeps, and characters of all its data, such as pictures. */
const outputLimits = { text: 1_000_000, data: 20_000_000, outputs: 1000 }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the outputs of a file or a kernel. Leaves out what is no output. */
export function readOutputs(value: unknown): CellOutput[] {
  return Array.isArray(value) ? value.flatMap((item) => readOutput(item) ?? []) : []
}

export function readOutput(value: unknown): CellOutput | null {
  if (!isObject(value)) return null
  switch (value['output_type']) {
    case 'stream':
      return {
        output_type: 'stream',
        name: value['name'] === 'stderr' ? 'stderr' : 'stdout',
        text: joinLines(value['text']) ?? '',
      }
    case 'display_data':
    case 'execute_result': {
      const count = value['execution_count']
      return {
        output_type: value['output_type'],
        data: isObject(value['data']) ? value['data'] : {},
        metadata: isObject(value['metadata']) ? value['metadata'] : {},
        ...(value['output_type'] === 'execute_result' && { execution_count: typeof count === 'number' ? count : null }),
      }
    }
    case 'error': {
      const trace = value['traceback']
      return {
        output_type: 'error',
        ename: joinLines(value['ename']) ?? '',
        evalue: joinLines(value['evalue']) ?? '',
        traceback: Array.isArray(trace) ? trace.map((line) => joinLines(line) ?? '') : [],
      }
    }
    default:
      return null
  }
}

/** Converts an output to what nbformat stores: text as a list of lines, keys in order of the alphabet. */
export function storedOutput(output: CellOutput): Record<string, unknown> {
  if (output.output_type === 'stream') return { name: output.name, output_type: 'stream', text: linesOf(output.text) }
  if (output.output_type === 'error') {
    const { ename, evalue, traceback } = output
    return { ename, evalue, output_type: 'error', traceback }
  }
  const { data, execution_count: count, metadata, output_type: type } = output
  return {
    data: Object.fromEntries(
      Object.entries(data)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => [name, typeof value === 'string' && isText(name) ? linesOf(value) : value]),
    ),
    ...(count !== undefined && { execution_count: count }),
    metadata: withoutDisplayId(metadata),
    output_type: type,
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))
const isText = (type: string): boolean =>
  type.startsWith('text/') || type === 'image/svg+xml' || type === 'application/javascript'

/** Name under which the id of a display is kept in its metadata while the cell runs. */
const displayIdKey = 'tizona_display_id'

const withoutDisplayId = ({ [displayIdKey]: _id, ...metadata }: Record<string, unknown>): Record<string, unknown> =>
  metadata

export const withDisplayId = (metadata: Record<string, unknown>, id: string): Record<string, unknown> => ({
  ...metadata,
  [displayIdKey]: id,
})

/** Outputs of a running cell. */
export interface RunOutputs {
  outputs: readonly CellOutput[]
  /** The next output replaces all. */
  clearsNext: boolean
  /** Something was left out because of `outputLimits`. */
  truncated: boolean
}

export const noOutputs: RunOutputs = { outputs: [], clearsNext: false, truncated: false }

/** Adds a message to the outputs of a cell, within the limits. */
export function addOutput(state: RunOutputs, message: OutputMessage): RunOutputs {
  if (message.output_type === 'clear')
    return message.wait ? { ...state, clearsNext: true } : { ...noOutputs, clearsNext: false }
  if (message.output_type === 'update') {
    const { displayId, data, metadata } = message
    return {
      ...state,
      outputs: state.outputs.map((output) =>
        'metadata' in output && output.metadata[displayIdKey] === displayId
          ? { ...output, data, metadata: withDisplayId(metadata, displayId) }
          : output,
      ),
    }
  }
  const current = state.clearsNext ? noOutputs : state
  const last = current.outputs.at(-1)
  const outputs =
    message.output_type === 'stream' && last?.output_type === 'stream' && last.name === message.name
      ? [...current.outputs.slice(0, -1), { ...last, text: withText(last.text, message.text) }]
      : [
          ...current.outputs,
          message.output_type === 'stream' ? { ...message, text: withOverwrites(message.text) } : message,
        ]
  return limited(outputs, current)
}

function limited(outputs: readonly CellOutput[], before: RunOutputs): RunOutputs {
  const text = outputs.reduce((sum, output) => sum + textLength(output), 0)
  const data = outputs.reduce((sum, output) => sum + dataLength(output), 0)
  if (text <= outputLimits.text && data <= outputLimits.data && outputs.length <= outputLimits.outputs)
    return { outputs, clearsNext: false, truncated: before.truncated }
  const last = outputs.at(-1)
  // Text fills what is left; other outputs are left out.
  const kept = text - textLength(last)
  if (last?.output_type === 'stream' && outputs.length <= outputLimits.outputs)
    return {
      outputs: [...outputs.slice(0, -1), { ...last, text: last.text.slice(0, Math.max(0, outputLimits.text - kept)) }],
      clearsNext: false,
      truncated: true,
    }
  return { ...before, clearsNext: false, truncated: true }
}

const textLength = (output: CellOutput | undefined): number =>
  output?.output_type === 'stream' ? output.text.length : 0

function dataLength(output: CellOutput): number {
  if (output.output_type === 'stream') return 0
  if (output.output_type === 'error') return output.traceback.reduce((sum, line) => sum + line.length, 0)
  return Object.values(output.data).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)),
    0,
  )
}

/** Appends text, which can overwrite the last line. */
function withText(before: string, added: string): string {
  const lineStart = before.lastIndexOf('\n') + 1
  return before.slice(0, lineStart) + withOverwrites(before.slice(lineStart) + added)
}

/** Applies carriage returns, with which progress bars overwrite their line. Only the part after the last one stays. */
function withOverwrites(text: string): string {
  if (!text.includes('\r')) return text
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      // At the end, it waits for what overwrites the line.
      const end = line.endsWith('\r') ? line.length - 1 : line.length
      return line.slice(line.lastIndexOf('\r', end - 1) + 1)
    })
    .join('\n')
}

/** Text after the outputs of a cell whose output was truncated. */
const truncatedNote = 'Output is longer than Tizona keeps for a cell. The rest was left out.\n'

/** Returns what a file stores of a run. */
export function finishedOutputs({ outputs, truncated }: RunOutputs): CellOutput[] {
  return truncated ? [...outputs, { output_type: 'stream', name: 'stderr', text: truncatedNote }] : [...outputs]
}
