import { create } from 'zustand'
import { isAbort, toFailure } from '../../shared/errors.ts'
import type { Match, Replacement } from '../../shared/tools/tool.ts'
import { request, type Bridge } from '../platform/bridge/bridge.ts'
import { Latest } from '../../shared/async/latest.ts'
import { Delayer } from '../../shared/async/delayer.ts'

export interface SearchOptions {
  query: string
  regex: boolean
  caseSensitive: boolean
  wholeWord: boolean
  /** Globs of the files to search, separated by commas; '' searches all files. */
  include: string
  /** Globs of the files to exclude, separated by commas. */
  exclude: string
  /** Whether the replace field is shown. */
  replacing: boolean
  replacement: string
}

export interface SearchState {
  options: SearchOptions
  state: 'idle' | 'searching' | 'done' | 'failed'
  matches: readonly Match[]
  total: number
  truncated: boolean
  problem: string
  /** Files whose matches are collapsed. */
  folded: ReadonlySet<string>
}

export type SearchRow =
  | { kind: 'file'; path: string; count: number; folded: boolean }
  | { kind: 'match'; match: Match; id: string; replacement?: Replacement }

export const emptySearch: SearchState = {
  options: {
    query: '',
    regex: false,
    caseSensitive: false,
    wholeWord: false,
    include: '',
    exclude: '',
    replacing: false,
    replacement: '',
  },
  state: 'idle',
  matches: [],
  total: 0,
  truncated: false,
  problem: '',
  folded: new Set(),
}

export const useSearch = create<SearchState>(() => emptySearch)

const maxMatches = 2000
const maxReplacedLines = 5000
const typingDelayMs = 200

/**
 * Pure: builds the rows of the result list: each file followed by its matches. While replacing, each match in a line
 * has its own row.
 */
export function searchRows(matches: readonly Match[], folded: ReadonlySet<string>): SearchRow[] {
  const byFile = Map.groupBy(matches, ({ path }) => path)
  return [...byFile].flatMap(([path, found]): SearchRow[] => {
    const rows = found.flatMap((match, index): SearchRow[] => {
      const { replacements = [] } = match
      const id = `${path}:${match.line}:${index}`
      return replacements.length === 0
        ? [{ kind: 'match', match, id }]
        : replacements.map((replacement) => ({
            kind: 'match',
            match,
            id: `${id}:${replacement.column}`,
            replacement,
          }))
    })
    const isFolded = folded.has(path)
    return [{ kind: 'file', path, count: rows.length, folded: isFolded }, ...(isFolded ? [] : rows)]
  })
}

/** Pure: splits the matches into those of a row and the others. */
export function partitionByRow(matches: readonly Match[], row: SearchRow): { inRow: Match[]; others: Match[] } {
  const inRow: Match[] = []
  const others: Match[] = []
  for (const match of matches) {
    const { replacements } = match
    if (row.kind === 'file' ? match.path !== row.path : match !== row.match) others.push(match)
    else if (row.kind === 'file' || row.replacement === undefined || replacements === undefined) inRow.push(match)
    else {
      inRow.push({ ...match, replacements: [row.replacement] })
      const rest = replacements.filter((each) => each !== row.replacement)
      if (rest.length > 0) others.push({ ...match, replacements: rest })
    }
  }
  return { inRow, others }
}

/** Pure: shifts the matches that follow a replaced one in its line. */
function movedInLine(
  matches: readonly Match[],
  { match: { path, line }, replacement }: Extract<SearchRow, { kind: 'match' }>,
): Match[] {
  if (replacement === undefined) return [...matches]
  const { column, oldText, newText, before, after } = replacement
  const moved = newText.length - oldText.length
  /** Shifts a match, and updates the text around it. */
  const adjusted = (hit: Replacement): Replacement => {
    if (hit.column > column) {
      const isBeside = hit.column === column + oldText.length
      return { ...hit, column: hit.column + moved, ...(isBeside && { before: before + newText }) }
    }
    return hit.column + hit.oldText.length === column ? { ...hit, after: newText + after } : hit
  }
  return matches.map((match) =>
    match.path !== path || match.line !== line
      ? match
      : {
          ...match,
          replacements: match.replacements?.map(adjusted),
        },
  )
}

/** Actions on `useSearch`. Searches while the user types, and keeps only the latest query's results. */
export function createSearch(request: Bridge['request'], delay = typingDelayMs) {
  const searches = new Latest()
  const searchLater = new Delayer(search, delay)

  async function search(): Promise<void> {
    searchLater.cancel()
    const isLatest = searches.begin()
    const { options } = useSearch.getState()
    if (options.query === '') {
      useSearch.setState({ state: 'idle', matches: [], total: 0, truncated: false, problem: '' })
      return
    }
    useSearch.setState({ state: 'searching', problem: '' })
    try {
      const { replacing, replacement, ...query } = options
      const { matches, total, truncated } = await request('search.text', {
        ...query,
        ...(replacing ? { replacement, limit: maxReplacedLines } : { limit: maxMatches }),
      })
      if (isLatest()) useSearch.setState({ state: 'done', matches, total, truncated, folded: new Set() })
    } catch (error) {
      if (!isLatest() || isAbort(error)) return
      const failure = toFailure(error)
      useSearch.setState({
        state: 'failed',
        matches: [],
        total: 0,
        truncated: false,
        problem: failure.next ? `${failure.message} ${failure.next}` : failure.message,
      })
    }
  }

  /** The files to include of "Find in folder", and those before. */
  let folderSearch: { include: string; before: string } | null = null

  function change(part: Partial<SearchOptions>): void {
    useSearch.setState(({ options }) => ({ options: { ...options, ...part } }))
    searches.begin()
    searchLater.restart()
  }

  return {
    search,
    /** Searches in a folder only, until `endFolderSearch`. */
    searchFolder(folder: string): void {
      const { include: before } = useSearch.getState().options
      // A wildcard for each character that globs or their list treat as special.
      const include = `${folder.replaceAll(/[[\]{}*,\\!]/g, '?')}/**`
      folderSearch = { include, before: before === folderSearch?.include ? folderSearch.before : before }
      change({ include })
    },
    /** Restores the files to include from before a search in a folder, unless the user has changed them. */
    endFolderSearch(): void {
      const ended = folderSearch
      folderSearch = null
      if (ended !== null && useSearch.getState().options.include === ended.include) change({ include: ended.before })
    },
    /** Changes options, and searches when the user stops typing. */
    change,
    toggle: (option: 'caseSensitive' | 'wholeWord' | 'regex'): void =>
      change({ [option]: !useSearch.getState().options[option] }),
    /** Restores stored options without searching. `searchAgain` searches when the panel is shown. */
    restore(options: SearchOptions): void {
      useSearch.setState({ ...emptySearch, options: { ...emptySearch.options, ...options } }, true)
    },
    /** Runs a restored query that has no results yet. */
    async searchAgain(): Promise<void> {
      const { state, options } = useSearch.getState()
      if (state === 'idle' && options.query !== '') await search()
    },
    /**
     * Removes a file or a match from the results, so that it is not replaced.
     * @param options.replaced whether the match was replaced, which shifts those after it in the line
     */
    dismiss(row: SearchRow, { replaced = false } = {}): void {
      useSearch.setState(({ matches, total }) => {
        const { others } = partitionByRow(matches, row)
        return {
          matches: replaced && row.kind === 'match' ? movedInLine(others, row) : others,
          total: total - matches.length + others.length,
        }
      })
    },
    toggleFolded(path: string): void {
      useSearch.setState(({ folded }) => {
        const next = new Set(folded)
        if (!next.delete(path)) next.add(path)
        return { folded: next }
      })
    },
    reset(): void {
      searches.begin()
      searchLater.cancel()
      useSearch.setState(emptySearch, true)
    },
  }
}

/** The search of this window. */
export const search = createSearch(request)
