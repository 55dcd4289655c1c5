import { symbolId } from './storedSymbols.ts'

/** Creates the ids of a file's symbols in order. */
export function createSymbolIds(path: string): (qualified: string, kind: string) => string {
  const repeatOf = countRepeats()
  return (qualified, kind) => symbolId(path, qualified, kind, repeatOf(qualified, kind))
}

/** Returns how many symbols of the file have had the same qualified name and kind before. */
export function countRepeats(): (qualified: string, kind: string) => number {
  const used = new Map<string, number>()
  return (qualified, kind) => {
    const key = `${qualified}#${kind}`
    const repeat = used.get(key) ?? 0
    used.set(key, repeat + 1)
    return repeat
  }
}
