import type { SeenCode } from '../../shared/editor/inlineCompletion.ts'

/** Chunks of code that the user has recently seen, as context for completions. */
export interface SeenCodeRing {
  add(seen: SeenCode): void
  /**
   * Returns the chunks, oldest first. The order and the bytes stay the same until a chunk is added, so that the server
   * can reuse its prompt cache.
   * @param current text that the request contains anyway
   */
  chunks(current: { path: string; before: string; after: string }): SeenCode[]
  clear(): void
}

/** Number of chunks, as in llama.vscode. */
const maxChunks = 16
/** Number of chunks to remove at once. Removing them one by one would change the start of the prompt each time. */
const removedAtOnce = 4
/** Chunks that are more similar than this replace each other. */
const maxSimilarity = 0.9
/** Shorter chunks are of little use. */
const minLines = 3

interface Chunk extends SeenCode {
  lines: ReadonlySet<string>
}

export function createSeenCodeRing(): SeenCodeRing {
  let ring: Chunk[] = []
  return {
    add({ path, text }) {
      const filled = text.split('\n').filter((line) => line.trim() !== '')
      if (filled.length < minLines) return
      if (ring.some((chunk) => chunk.path === path && chunk.text === text)) return
      const added = { path, text, lines: new Set(filled) }
      ring = ring.filter(({ lines }) => similarity(lines, added.lines) <= maxSimilarity)
      if (ring.length >= maxChunks) ring = ring.slice(removedAtOnce)
      ring.push(added)
    },
    chunks({ path, before, after }) {
      return ring
        .filter((chunk) => chunk.path !== path || !isContained(chunk, `${before}${after}`))
        .map((chunk) => ({ path: chunk.path, text: chunk.text }))
    },
    clear() {
      ring = []
    },
  }
}

/** Jaccard similarity of two sets of lines, from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const line of a) if (b.has(line)) common += 1
  return common / (a.size + b.size - common)
}

/** Whether most lines of a chunk are in the text around the cursor. */
function isContained({ lines }: Chunk, text: string): boolean {
  const shown = new Set(text.split('\n'))
  let common = 0
  for (const line of lines) if (shown.has(line)) common += 1
  return common > lines.size / 2
}
