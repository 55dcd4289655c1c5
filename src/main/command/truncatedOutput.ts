import { plural } from '../../shared/text/plural.ts'
const blockSize = 4096

/** Number of dropped whole lines and bytes of UTF-8. */
export interface OmittedSize {
  lines: number
  bytes: number
}

/** Output of any length. The start and the end are kept; the middle is dropped and counted. */
export interface TruncatedOutput {
  append(text: string): void
  /** Returns the kept text, with a line in the middle that states the number of dropped characters. */
  text(): string
  /** Returns what `text()` omits; undefined if it is complete. */
  missing(): OmittedSize | undefined
  clear(): void
  readonly empty: boolean
}

/** @param limit maximum length in UTF-16 units, one half for the start and one for the end */
export function createTruncatedOutput(limit: number): TruncatedOutput {
  const half = Math.floor(limit / 2)
  let head = ''
  // Short lines share a block, so that dropping from the front is cheap and the list stays short.
  let blocks: string[] = []
  let block: string[] = []
  let blockLength = 0
  let tailLength = 0
  let dropped = 0
  let droppedLines = 0
  let droppedBytes = 0

  /** Splits the text at line breaks, so that no partial line looks complete. Undefined if nothing was dropped. */
  function split(): { head: string; tail: string; partialHead: string; partialTail: string } | undefined {
    if (dropped === 0) return undefined
    const end = blocks.join('') + block.join('')
    const headEnd = head.lastIndexOf('\n') + 1 || head.length
    const tailStart = end.indexOf('\n') + 1
    return {
      head: head.slice(0, headEnd),
      tail: end.slice(tailStart),
      partialHead: head.slice(headEnd),
      partialTail: end.slice(0, tailStart),
    }
  }

  return {
    append(text) {
      const room = half - head.length
      if (room > 0) {
        head += text.slice(0, room)
        text = text.slice(room)
      }
      if (text === '') return
      block.push(text)
      blockLength += text.length
      tailLength += text.length
      if (blockLength < blockSize) return
      blocks.push(block.join(''))
      block = []
      blockLength = 0
      while (blocks.length > 0 && tailLength - (blocks[0]?.length ?? 0) >= half) {
        const first = blocks.shift() ?? ''
        tailLength -= first.length
        dropped += first.length
        droppedLines += countNewlines(first)
        droppedBytes += Buffer.byteLength(first)
      }
    },
    text() {
      const parts = split()
      if (parts === undefined) return head + blocks.join('') + block.join('')
      const missing = dropped + parts.partialHead.length + parts.partialTail.length
      return `${parts.head}[${plural(missing, 'character')} of output omitted]\n${parts.tail}`
    },
    missing() {
      const parts = split()
      if (parts === undefined) return undefined
      return {
        lines: droppedLines + countNewlines(parts.partialTail),
        bytes: droppedBytes + Buffer.byteLength(parts.partialHead) + Buffer.byteLength(parts.partialTail),
      }
    },
    clear() {
      head = ''
      blocks = []
      block = []
      blockLength = 0
      tailLength = 0
      dropped = 0
      droppedLines = 0
      droppedBytes = 0
    },
    get empty() {
      return head === ''
    },
  }
}

function countNewlines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
