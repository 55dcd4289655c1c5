import type { Place, Suggestion } from './trimSuggestion.ts'

/** Answers, which also serve later keys while the user types inside them. */
export interface SuggestionCache {
  /** Returns the rest of a stored answer at this place; undefined without one. Its text is '' if the model had none. */
  find(model: string, path: string, place: Place): Suggestion | undefined
  add(model: string, path: string, place: Place, suggestion: Suggestion): void
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
/** Characters on each side of the cursor that must be equal. Farther text matters little for an answer. */
const compared = { before: 400, after: 200 }

export function createSuggestionCache(): SuggestionCache {
  /** Oldest first. */
  let entries: Entry[] = []
  const near = ({ before, after }: Place) => ({
    before: before.slice(-compared.before),
    after: after.slice(0, compared.after),
  })
  return {
    find(model, path, place) {
      const after = place.after.slice(0, compared.after)
      for (let at = entries.length - 1; at >= 0; at -= 1) {
        const entry = entries[at]
        if (!entry || entry.path !== path || entry.model !== model || entry.after !== after) continue
        const typed = typedInside(entry, place.before)
        if (typed === undefined) continue
        if (at < entries.length - 1) entries = [...entries.slice(0, at), ...entries.slice(at + 1), entry]
        return { text: entry.text.slice(typed), replaces: entry.replaces }
      }
      return undefined
    },
    add(model, path, place, suggestion) {
      const added = { model, path, ...near(place), ...suggestion }
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

/** Returns how many characters of the answer were typed since; undefined if something else was typed. */
function typedInside({ before, text }: Entry, now: string): number | undefined {
  // A fully typed answer has no rest to show, so the model continues from there.
  const most = Math.max(text.length - 1, 0)
  const window = now.slice(-(before.length + most))
  // Less text is compared only at the start of a file.
  const start = before.length < compared.before ? 0 : window.lastIndexOf(before)
  if (start === -1 || !window.startsWith(before, start)) return undefined
  if (before.length < compared.before && now.length > before.length + most) return undefined
  const typed = window.slice(start + before.length)
  return text.startsWith(typed) ? typed.length : undefined
}
