/** A snippet in VS Code's format. */
export interface Snippet {
  name: string
  /** Words that trigger it. */
  prefixes: string[]
  /** Text with placeholders such as `${1:name}`. */
  body: string
  description: string
  /** Languages in which it is suggested; null for all. */
  languages: string[] | null
}

const maxSnippets = 1000
const maxBody = 20_000

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Pure: converts a string or list to a list of strings; empty for anything else. */
function strings(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((each) => typeof each === 'string')
}

/**
 * Pure: converts a parsed VS Code snippet file. Ignores entries without a prefix or a body.
 * @param language language of the file; null if its entries name their languages (`scope`) or apply to all
 */
export function readSnippets(value: unknown, language: string | null): Snippet[] {
  if (!isRecord(value)) return []
  return Object.entries(value)
    .slice(0, maxSnippets)
    .flatMap(([name, entry]): Snippet[] => {
      if (!isRecord(entry)) return []
      const prefixes = strings(entry.prefix).filter((prefix) => prefix !== '')
      const body = strings(entry.body).join('\n')
      if (prefixes.length === 0 || body === '' || body.length > maxBody) return []
      const scope = strings(entry.scope).flatMap((each) => each.split(','))
      const languages = scope.map((each) => each.trim()).filter((each) => each !== '')
      return [
        {
          name,
          prefixes,
          body,
          description: strings(entry.description).join(' '),
          languages: languages.length > 0 ? languages : language === null ? null : [language],
        },
      ]
    })
}
