import { createBoundedLines, type OversizedLine } from '../base/boundedLines.ts'
import {
  oversizedAnswer,
  endlessLogMessage,
  maxMessageBytes,
  maxEndlessBytes,
  oversizedLogMessage,
} from './oversizedMessages.ts'

interface OpenEvent {
  lines: Buffer[]
  size: number
  /** Set for an oversized event: start and end of its data, and its id, from which a broken stream can resume. */
  ends: { head: Buffer; tail: Buffer; id: Buffer | undefined } | undefined
}

const newline = Buffer.from('\n')
const endBytes = 1024

/**
 * Creates an event stream transform (text/event-stream) that replaces events over `maxMessageBytes` with an error
 * response for the pending call. Buffers one event at a time.
 * @param log receives a message about each replaced event
 * @param onEndless called if an event does not end
 */
export function limitEventSize(
  log: (line: string) => void,
  onEndless: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  const lines = createBoundedLines(maxMessageBytes)
  let event: OpenEvent = { lines: [], size: 0, ends: undefined }

  function add(line: Buffer | OversizedLine): void {
    const { head, tail } = 'head' in line ? line : { head: line, tail: line }
    event.size += line.length + 1
    if (event.ends === undefined && !('head' in line) && event.size <= maxMessageBytes) {
      event.lines.push(line)
      return
    }
    event.ends ??= {
      head: dataOf(event.lines.find(isData) ?? head),
      tail: Buffer.alloc(0),
      id: event.lines.find((each) => each.subarray(0, 3).equals(Buffer.from('id:'))),
    }
    event.lines = []
    if (isData(head)) event.ends.tail = Buffer.from(tail.subarray(-endBytes))
  }

  function finish(): Buffer {
    const { lines: complete, ends } = event
    event = { lines: [], size: 0, ends: undefined }
    if (ends === undefined) return Buffer.concat([...complete, Buffer.alloc(0)].flatMap((line) => [line, newline]))
    const answer = oversizedAnswer(ends)
    log(oversizedLogMessage)
    const parts = [ends.id, answer && Buffer.from(`data: ${JSON.stringify(answer)}`)].filter(
      (part) => part !== undefined,
    )
    return Buffer.concat([...parts, Buffer.alloc(0)].flatMap((line) => [line, newline]))
  }

  return new TransformStream({
    transform(chunk, controller) {
      for (const line of lines.push(chunk)) {
        if (!('head' in line) && isBlank(line)) controller.enqueue(finish())
        else add(line)
      }
      if (event.size + lines.pending() <= maxEndlessBytes) return
      controller.error(new Error(endlessLogMessage))
      onEndless()
    },
  })
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d)
}

function isData(line: Buffer): boolean {
  return line.subarray(0, 5).equals(Buffer.from('data:'))
}

/** Returns the start of an event's data without the field name. */
function dataOf(line: Buffer): Buffer {
  return Buffer.from(line.subarray(isData(line) ? 5 : 0).subarray(0, endBytes))
}
