import { plural } from '../../shared/text/plural.ts'
import type { Match } from '../../shared/tools/tool.ts'
import { openText } from '../platform/editor/editorService.ts'
import { useSearch, type SearchOptions, type SearchState } from './searchStore.ts'

/** Id of the language of search results in an editor. Its files end with `.code-search`, as in VS Code. */
export const resultsLanguage = 'search-result'

const entry = /^ {2}(\d{1,9}): /

/** Search results as text, in the form of VS Code's search editor. Matches follow their file. */
export function resultsText({
  options,
  matches,
  total,
  truncated,
}: Pick<SearchState, 'options' | 'matches' | 'total' | 'truncated'>): string {
  const byFile = [...Map.groupBy(matches, ({ path }) => path)]
  const counted = `${plural(total, 'match', 'matches')} in ${plural(byFile.length, 'file')}`
  const summary = truncated
    ? `${plural(total, 'match', 'matches')}, the first ${matches.length} of them below`
    : counted
  const files = byFile.map(([path, found]) => `${path}:\n${found.map(entryOf).join('\n')}\n`)
  return [...headerOf(options), '', summary, '', ...files].join('\n')
}

/** Opens the results of the current search as a text, which lasts longer than the view's. */
export async function openResults(): Promise<void> {
  if (useSearch.getState().state !== 'done') return
  await openText(resultsText(useSearch.getState()), resultsLanguage)
}

const entryOf = ({ line, text }: Match): string => `  ${line}: ${text}`

function headerOf({ query, include, exclude, caseSensitive, wholeWord, regex }: SearchOptions): string[] {
  const flags = [caseSensitive && 'CaseSensitive', wholeWord && 'WordMatch', regex && 'RegExp'].filter(
    (flag) => flag !== false,
  )
  return [
    `# Query: ${query}`,
    ...(flags.length > 0 ? [`# Flags: ${flags.join(' ')}`] : []),
    ...(include === '' ? [] : [`# Including: ${include}`]),
    ...(exclude === '' ? [] : [`# Excluding: ${exclude}`]),
  ]
}

/**
 * Returns the place that a line of search results names: a match, or the first line of a file.
 * @param lines lines of the text up to this one, which is the last
 * @param column cursor column in it, from 1
 */
export function placeOf(
  lines: readonly string[],
  column: number,
): { path: string; line: number; column: number } | null {
  const last = lines.at(-1) ?? ''
  if (isFile(last)) return { path: last.slice(0, -1), line: 1, column: 1 }
  const match = entry.exec(last)
  const file = lines.findLast(isFile)
  if (match === null || file === undefined) return null
  // A long line is cut, so its columns are others.
  const isCut = last.startsWith('…', match[0].length)
  return {
    path: file.slice(0, -1),
    line: Number(match[1]),
    column: isCut ? 1 : Math.max(1, column - match[0].length),
  }
}

/** Lines of the header begin with a word and a text, and never end with a colon alone. */
const isFile = (line: string): boolean => /^\S.*:$/.test(line) && !/^# \w+: /.test(line)
