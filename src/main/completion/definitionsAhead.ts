import type { CompletionParams } from '../../shared/editor/inlineCompletion.ts'

/** Finds definitions of names in lines, as text for the model; '' if there are none. */
export type FindDefinitions = (
  place: { path: string; line: number; lines: string[] },
  signal: AbortSignal,
) => Promise<string>

export interface DefinitionsAhead {
  /** The definitions found last for this file. */
  of(path: string): string
  /** Starts a lookup if the cursor is on another line than before. */
  prepare(params: CompletionParams): void
  clear(): void
}

/** Lines at the cursor whose names are looked up. */
const lookedUpLines = 6

/** Looks definitions up ahead, so that no key waits for the index. */
export function createDefinitionsAhead(find: FindDefinitions): DefinitionsAhead {
  let known = { path: '', text: '' }
  let place = ''
  let lookup: AbortController | undefined
  return {
    of: (path) => (known.path === path ? known.text : ''),
    prepare({ path, line, before }) {
      const here = `${line} ${path}`
      if (place === here) return
      place = here
      lookup?.abort()
      lookup = new AbortController()
      const { signal } = lookup
      const lines = before.split('\n').slice(-lookedUpLines)
      find({ path, line: line - lines.length + 1, lines }, signal).then(
        (text) => {
          if (!signal.aborted) known = { path, text }
        },
        // Suggestions work without definitions. The index reports its own problems.
        () => undefined,
      )
    },
    clear() {
      lookup?.abort()
      known = { path: '', text: '' }
      place = ''
    },
  }
}
