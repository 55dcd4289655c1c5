const blockSize = 4096

/** Text that may grow without end: its beginning and its end are kept, the middle is dropped and counted. */
export interface BoundedText {
  append(text: string): void
  /** Everything kept, with a line that says how much is missing where the middle was. */
  text(): string
  clear(): void
  readonly empty: boolean
}

/** @param limit in UTF-16 units; a half goes to the beginning, a half to the end. */
export function createBoundedText(limit: number): BoundedText {
  const half = Math.floor(limit / 2)
  let head = ''
  // Many short lines share a block, so that dropping from the front stays cheap and the list short.
  let blocks: string[] = []
  let block: string[] = []
  let blockLength = 0
  let tailLength = 0
  let dropped = 0

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
      }
    },
    text() {
      const tail = blocks.join('') + block.join('')
      if (dropped === 0) return head + tail
      // Cut at line ends, so that no half line is mistaken for a whole one.
      const headEnd = head.lastIndexOf('\n') + 1 || head.length
      const tailStart = tail.indexOf('\n') + 1
      const missing = dropped + (head.length - headEnd) + tailStart
      return `${head.slice(0, headEnd)}[${missing} characters of output left out here]\n${tail.slice(tailStart)}`
    },
    clear() {
      head = ''
      blocks = []
      block = []
      blockLength = 0
      tailLength = 0
      dropped = 0
    },
    get empty() {
      return head === ''
    },
  }
}
