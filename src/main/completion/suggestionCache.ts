import type { CursorContext, Suggestion } from './trimSuggestion.ts'

/** Caches answers. An answer also serves later keys as long as the user types its text. */
export interface SuggestionCache {
  /**
   * Returns the rest of a stored answer at the cursor; undefined if there is none. Its text is '' if the model had no
   * suggestion.
   */
  find(model: string, path: string, cursor: CursorContext): Suggestion | undefined
  add(model: string, path: string, cursor: CursorContext, suggestion: Suggestion): void
  clear(): void
}

interface Entry extends Suggestion {
  model: string
  path: string
  /** End of the text before the cursor. */
  before: string
  /** Start of the text after the cursor. */
  after: string
}

/** Number of answers, as in llama.vscode. */
const maxEntries = 250
/** Number of characters on each side of the cursor that must be equal. Text farther away matters little. */
const compared = { before: 400, after: 200 }

export function createSuggestionCache(): SuggestionCache {
  /** Oldest first. */
  let entries: Entry[] = []
  const near = ({ before, after }: CursorContext) => ({
    before: before.slice(-compared.before),
    after: after.slice(0, compared.after),
  })
  return {
    find(model, path, cursor) {
      const after = cursor.after.slice(0, compared.after)
      for (let at = entries.length - 1; at >= 0; at -= 1) {
        const entry = entries[at]
        if (!entry || entry.path !== path || entry.model !== model || entry.after !== after) continue
        const typed = typedInside(entry, cursor.before)
        if (typed === undefined) continue
        if (at < entries.length - 1) entries = [...entries.slice(0, at), ...entries.slice(at + 1), entry]
        return { text: entry.text.slice(typed), replaces: entry.replaces }
      }
      return undefined
    },
    add(model, path, cursor, suggestion) {
      const added = { model, path, ...near(cursor), ...suggestion }
      entries = entries.filter(
        (entry) => !(entry.path === path && entry.before === added.before && entry.after === added.after),
      )
      entries.push(added)
      if (entries.length > maxEntries) entries.shift()
    },
    clear() {
      entries = []
    },
  }
}

/** Returns how many characters of the answer the user has typed since; undefined if they typed something else. */
function typedInside({ before, text }: Entry, now: string): number | undefined {
  // A fully typed answer has no rest to show, so the model continues from there.
  const most = Math.max(text.length - 1, 0)
  const window = now.slice(-(before.length + most))
  // Only the start of a file has less text to compare.
  const start = before.length < compared.before ? 0 : window.lastIndexOf(before)
  if (start === -1 || !window.startsWith(before, start)) return undefined
  if (before.length < compared.before && now.length > before.length + most) return undefined
  const typed = window.slice(start + before.length)
  return text.startsWith(typed) ? typed.length : undefined
}
