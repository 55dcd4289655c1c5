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
/** Levels of objects and lists in data. Much deeper ones cannot be written as JSON. */
const maxDepth = 200

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
        data: flatEntries(value['data']),
        metadata: flatEntries(value['metadata']),
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

/** Returns an object without the members that are nested too deeply. */
function flatEntries(value: unknown): Record<string, unknown> {
  if (!isObject(value)) return {}
  return Object.values(value).some(isTooDeep)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => !isTooDeep(member)))
    : value
}

/** Level by level, because recursion would fail like the JSON that it prevents. */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as unknown[]) : [],
    )
  }
  return false
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
    return updated(state, message)
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

/** Replaces the data of a display, which can be shown several times. */
function updated(
  state: RunOutputs,
  { displayId, data, metadata }: Extract<OutputMessage, { output_type: 'update' }>,
): RunOutputs {
  const isShown = (output: CellOutput): boolean => 'metadata' in output && output.metadata[displayIdKey] === displayId
  const shown = state.outputs.filter(isShown)
  if (shown.length === 0) return state
  const size = jsonLength(data) + jsonLength(metadata)
  const others = state.outputs.reduce((sum, output) => sum + (isShown(output) ? 0 : dataLength(output)), 0)
  if (others + size * shown.length > outputLimits.data) return truncated(state)
  const outputs = state.outputs.map((output) => {
    if (!('metadata' in output) || !isShown(output)) return output
    const next = { ...output, data, metadata: withDisplayId(metadata, displayId) }
    dataLengths.set(next, size)
    return next
  })
  return { ...state, outputs }
}

/** The same state if it is truncated already. */
const truncated = (state: RunOutputs): RunOutputs =>
  state.truncated && !state.clearsNext ? state : { ...state, clearsNext: false, truncated: true }

function limited(outputs: readonly CellOutput[], before: RunOutputs): RunOutputs {
  const text = outputs.reduce((sum, output) => sum + textLength(output), 0)
  const data = outputs.reduce((sum, output) => sum + dataLength(output), 0)
  if (text <= outputLimits.text && data <= outputLimits.data && outputs.length <= outputLimits.outputs)
    return { outputs, clearsNext: false, truncated: before.truncated }
  const last = outputs.at(-1)
  if (last === undefined || outputs.length > outputLimits.outputs) return truncated(before)
  // Text fills what is left, and errors stay with the start of their message. Other outputs are left out.
  if (last.output_type === 'error') {
    const { ename, evalue } = last
    const cut = { ename: ename.slice(0, 1000), evalue: evalue.slice(0, 10_000), traceback: [] }
    return { outputs: [...outputs.slice(0, -1), { ...last, ...cut }], clearsNext: false, truncated: true }
  }
  if (last.output_type !== 'stream') return truncated(before)
  const left = Math.max(0, outputLimits.text - (text - last.text.length))
  const known = before.outputs[outputs.length - 1]
  if (left === 0 || (known?.output_type === 'stream' && known.text.length >= left)) return truncated(before)
  return {
    outputs: [...outputs.slice(0, -1), { ...last, text: last.text.slice(0, left) }],
    clearsNext: false,
    truncated: true,
  }
}

const textLength = (output: CellOutput): number => (output.output_type === 'stream' ? output.text.length : 0)

/** Lengths that were measured, because data is measured again with each further output. */
const dataLengths = new WeakMap<CellOutput, number>()

function dataLength(output: CellOutput): number {
  if (output.output_type === 'stream') return 0
  const length = dataLengths.get(output) ?? measured(output)
  dataLengths.set(output, length)
  return length
}

function measured(output: Exclude<CellOutput, { output_type: 'stream' }>): number {
  if (output.output_type !== 'error') return jsonLength(output.data) + jsonLength(output.metadata)
  const { ename, evalue, traceback } = output
  return traceback.reduce((sum, line) => sum + line.length, ename.length + evalue.length)
}

const jsonLength = (members: Record<string, unknown>): number =>
  Object.values(members).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)),
    0,
  )

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
