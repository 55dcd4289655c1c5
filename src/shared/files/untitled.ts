const prefix = 'untitled:'
const namePrefix = 'Untitled-'
/** Maximum length of a title in UTF-16 units, as in VS Code. */
const maxTitle = 40

/** Whether a tab's path stands for a text without a file, such as `untitled:Untitled-1`. The form is VS Code's. */
export const isUntitled = (path: string): boolean => path.startsWith(prefix + namePrefix)

/** Returns the path of a new untitled text: the lowest number that is not in use. */
export function nextUntitledPath(used: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const path = `${prefix}${namePrefix}${number}`
    if (!used.includes(path)) return path
  }
}

/** Returns the name of an untitled text, such as `Untitled-1`. */
export const untitledName = (path: string): string => path.slice(prefix.length)

/** Id of the language of search results in an editor. Its files end with `.code-search`, as in VS Code. */
export const resultsLanguage = 'search-result'

/**
 * Returns the title of an untitled text: its first line, or its name if that line has no letters or digits. Search
 * results have that of their query.
 * @param language the language that was chosen for it
 */
export function untitledTitle(path: string, text: string, language?: string): string {
  const end = text.indexOf('\n')
  const line = (end < 0 ? text.slice(0, 1000) : text.slice(0, Math.min(end, 1000))).trim()
  if (!/[\p{L}\p{N}]/u.test(line)) return untitledName(path)
  if (language === resultsLanguage && line.startsWith(queryPrefix))
    return shortened(`Search: ${line.slice(queryPrefix.length)}`)
  return shortened(line)
}

const queryPrefix = '# Query: '

function shortened(line: string): string {
  return line.length <= maxTitle ? line : `${line.slice(0, maxTitle).trimEnd()}…`
}
