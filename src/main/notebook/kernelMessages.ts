import { randomUUID } from 'node:crypto'
import { readOutput, withDisplayId, type OutputMessage } from '../../shared/notebook/outputs.ts'

/** A message of a kernel, as far as Tizona reads it. */
export interface KernelMessage {
  channel: string
  type: string
  /** Id of the request that it belongs to; '' for none. */
  parent: string
  content: Record<string, unknown>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a message; null if it is nonsense. */
export function readMessage(text: string): KernelMessage | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(value) || !isObject(value['header']) || typeof value['header']['msg_type'] !== 'string') return null
  const parent = isObject(value['parent_header']) ? value['parent_header']['msg_id'] : ''
  return {
    channel: typeof value['channel'] === 'string' ? value['channel'] : '',
    type: value['header']['msg_type'],
    parent: typeof parent === 'string' ? parent : '',
    content: isObject(value['content']) ? value['content'] : {},
  }
}

/** Writes a message to a kernel. @returns it with its id */
export function writeMessage(
  session: string,
  channel: 'shell' | 'stdin',
  type: string,
  content: object,
): { id: string; text: string } {
  const id = randomUUID()
  const header = {
    msg_id: id,
    session,
    username: 'tizona',
    msg_type: type,
    version: '5.3',
    date: new Date().toISOString(),
  }
  return {
    id,
    text: JSON.stringify({ channel, header, parent_header: {}, metadata: {}, content, buffers: [] }),
  }
}

/** Converts a message to a change of a cell's outputs; null if it is none. */
export function outputOf({ type, content }: KernelMessage): OutputMessage | null {
  const transient = isObject(content['transient']) ? content['transient'] : {}
  const displayId = typeof transient['display_id'] === 'string' ? transient['display_id'] : undefined
  if (type === 'clear_output') return { output_type: 'clear', wait: content['wait'] === true }
  if (type === 'update_display_data') {
    const output = readOutput({ ...content, output_type: 'display_data' })
    return output?.output_type === 'display_data' && displayId !== undefined
      ? { output_type: 'update', displayId, data: output.data, metadata: output.metadata }
      : null
  }
  if (!['stream', 'display_data', 'execute_result', 'error'].includes(type)) return null
  const output = readOutput({ ...content, output_type: type })
  return output !== null && 'metadata' in output && displayId !== undefined
    ? { ...output, metadata: withDisplayId(output.metadata, displayId) }
    : output
}
