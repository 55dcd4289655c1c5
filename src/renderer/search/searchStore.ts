import { create } from 'zustand'
import { isAbort, toFailure } from '../../shared/errors.ts'
import type { Match } from '../../shared/tool.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'

export interface SearchOptions {
  query: string
  regex: boolean
  caseSensitive: boolean
  wholeWord: boolean
  /** Globs of the files to search, separated by commas; '' searches all files. */
  include: string
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
  | { kind: 'match'; match: Match; id: string }

export const emptySearch: SearchState = {
  options: { query: '', regex: false, caseSensitive: false, wholeWord: false, include: '' },
  state: 'idle',
  matches: [],
  total: 0,
  truncated: false,
  problem: '',
  folded: new Set(),
}

export const useSearch = create<SearchState>(() => emptySearch)

const maxMatches = 2000
const typingDelayMs = 200

/** Pure: builds the rows of the result list: files in the order of the results, each followed by its matches. */
export function searchRows(matches: readonly Match[], folded: ReadonlySet<string>): SearchRow[] {
  const byFile = Map.groupBy(matches, ({ path }) => path)
  return [...byFile].flatMap(([path, found]): SearchRow[] => {
    const file: SearchRow = { kind: 'file', path, count: found.length, folded: folded.has(path) }
    return file.folded
      ? [file]
      : [
          file,
          ...found.map((match, index): SearchRow => ({ kind: 'match', match, id: `${path}:${match.line}:${index}` })),
        ]
  })
}

/** Actions on `useSearch`. Searches while the user types, and keeps only the results of the latest query. */
export function createSearch(request: Bridge['request'], delay = typingDelayMs) {
  /** Incremented to discard the results of older searches. */
  let latestSearch = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function search(): Promise<void> {
    clearTimeout(timer)
    const thisSearch = ++latestSearch
    const { options } = useSearch.getState()
    if (options.query === '') {
      useSearch.setState({ state: 'idle', matches: [], total: 0, truncated: false, problem: '' })
      return
    }
    useSearch.setState({ state: 'searching', problem: '' })
    try {
      const { matches, total, truncated } = await request('search.text', { ...options, limit: maxMatches })
      if (thisSearch === latestSearch)
        useSearch.setState({ state: 'done', matches, total, truncated, folded: new Set() })
    } catch (error) {
      if (thisSearch !== latestSearch || isAbort(error)) return
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

  return {
    search,
    /** Changes options and searches when the user stops typing. */
    change(part: Partial<SearchOptions>): void {
      useSearch.setState(({ options }) => ({ options: { ...options, ...part } }))
      latestSearch++
      clearTimeout(timer)
      timer = setTimeout(() => void search(), delay)
    },
    /** Restores stored options without searching. `searchAgain` searches when the panel is shown. */
    restore(options: SearchOptions): void {
      useSearch.setState({ ...emptySearch, options: { ...emptySearch.options, ...options } }, true)
    },
    /** Runs a restored query that has no results yet. */
    async searchAgain(): Promise<void> {
      const { state, options } = useSearch.getState()
      if (state === 'idle' && options.query !== '') await search()
    },
    toggleFolded(path: string): void {
      useSearch.setState(({ folded }) => {
        const next = new Set(folded)
        if (!next.delete(path)) next.add(path)
        return { folded: next }
      })
    },
    reset(): void {
      latestSearch++
      clearTimeout(timer)
      useSearch.setState(emptySearch, true)
    },
  }
}
