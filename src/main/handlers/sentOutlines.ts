import { randomUUID } from 'node:crypto'
import type { CodeOutline, OutlineSymbol } from '../../shared/language/codeNavigation.ts'

/** Maximum number of files whose last outline is kept. */
const maxFiles = 10

/**
 * Keeps the outlines that the window has. It asks again after each pause in typing, and most keys change no symbol: the
 * outline of a file of 10,000 lines is 1 MB that need not be encoded, sent and drawn again.
 */
export function createSentOutlines() {
  const last = new Map<string, CodeOutline & { revision: string }>()
  return {
    /** Returns the outline with its revision; null if that is `known`. */
    withRevision(outline: CodeOutline, known: string | undefined): CodeOutline | null {
      const before = last.get(outline.path)
      const same = before && isSame(before, outline) ? before : undefined
      if (same && same.revision === known) return null
      const sent = same ?? { ...outline, revision: randomUUID() }
      last.delete(outline.path)
      last.set(outline.path, sent)
      for (const old of [...last.keys()].slice(0, -maxFiles)) last.delete(old)
      return sent
    },
  }
}

function isSame(one: CodeOutline, other: CodeOutline): boolean {
  const { symbols } = other
  return (
    one.language === other.language &&
    one.supported === other.supported &&
    one.problem === other.problem &&
    one.symbols.length === symbols.length &&
    one.symbols.every((symbol, index) => isSameSymbol(symbol, symbols[index]))
  )
}

function isSameSymbol(one: OutlineSymbol, other: OutlineSymbol | undefined): boolean {
  for (const key in one) {
    // `for in` gives the keys as texts.
    const field = key as keyof OutlineSymbol
    if (one[field] !== other?.[field]) return false
  }
  return true
}
