import { plural } from '../../shared/text/plural.ts'
import type { Match } from '../../shared/tools/tool.ts'
import { runCommand } from '../platform/commands.ts'
import { openText } from '../platform/editor/editorService.ts'
import { notify } from '../platform/notices.ts'
import { resultsLanguage } from '../../shared/files/untitled.ts'
import { search, useSearch, type SearchOptions, type SearchState } from './searchStore.ts'

/** A match, or with two spaces a line around one. VS Code aligns the numbers. */
const entry = /^ {2,12}(\d{1,9})(?:: | {2})/
/** What VS Code writes in place of a part of a long line. */
const skipped = /⟪ (\d{1,9}) characters skipped ⟫/g

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

/** Opens the results of the current search as a text, which lasts longer than the view's. Searches if necessary. */
export async function openResults(): Promise<void> {
  const { options, state } = useSearch.getState()
  if (options.query === '') {
    void runCommand('view.search')
    return notify('info', 'Nothing was searched for yet.', {
      detail: 'Search in files first. Then this command opens the results in an editor.',
    })
  }
  if (state !== 'done') await search.search()
  const { problem } = useSearch.getState()
  if (problem !== '') return notify('error', 'The search failed, so its results cannot be opened.', { detail: problem })
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
  if (isFile(last)) return { path: pathOf(last), line: 1, column: 1 }
  const match = entry.exec(last)
  const file = lines.findLast(isFile)
  if (match === null || file === undefined) return null
  // A long line is cut, so its columns are others.
  const isCut = last.startsWith('…', match[0].length)
  const before = last.slice(match[0].length, column - 1)
  const left = [...before.matchAll(skipped)].reduce((sum, [text, count]) => sum + Number(count) - text.length, 0)
  return {
    path: pathOf(file),
    line: Number(match[1]),
    column: isCut ? 1 : Math.max(1, column - match[0].length + left),
  }
}

/** Path in the line of a file. VS Code separates a folder of the workspace with a dot. */
const pathOf = (line: string): string => line.slice(0, -1).replace(' • ', '/')

/** Lines of the header begin with a word and a text, and never end with a colon alone. */
const isFile = (line: string): boolean => /^\S.*:$/.test(line) && !/^# \w+: /.test(line)
