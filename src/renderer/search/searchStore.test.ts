import { beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { Match } from '../../shared/tools/tool.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'
import { createSearch, emptySearch, searchRows, useSearch } from './searchStore.ts'

const match = (path: string, line: number): Match => ({ path, line, column: 1, text: `line ${line}` })

/** A main process whose responses the test controls, in any order. */
function main() {
  const asked: {
    query: string
    replacement?: string
    answer: (matches: Match[]) => void
    fail: (error: Error) => void
  }[] = []
  // The store only sends `search.text`.
  const request = ((_name: string, { query, replacement }: { query: string; replacement?: string }) =>
    new Promise((resolve, reject) => {
      asked.push({
        query,
        replacement,
        answer: (matches) => resolve({ matches, total: matches.length, truncated: false }),
        fail: reject,
      })
    })) as unknown as Bridge['request']
  return { asked, search: createSearch(request, 0) }
}

beforeEach(() => useSearch.setState(emptySearch, true))

describe('search', () => {
  it('groups matches by file and collapses groups', () => {
    const matches = [match('a.ts', 1), match('b.ts', 2), match('a.ts', 9)]
    expect(
      searchRows(matches, new Set(['b.ts'])).map((row) =>
        row.kind === 'file' ? `${row.path} ${row.count}` : row.match.line,
      ),
    ).toEqual(['a.ts 2', 1, 9, 'b.ts 1'])
  })

  it('shows a row for each hit while replacing, and leaves out dismissed ones', () => {
    const hit = (column: number) => ({ column, oldText: 'a', newText: 'bcd', before: '', after: '' })
    const { search } = main()
    useSearch.setState({
      matches: [{ ...match('a.ts', 1), replacements: [hit(1), hit(5)] }, match('b.ts', 2)],
      total: 2,
    })
    const hits = () =>
      searchRows(useSearch.getState().matches, new Set()).flatMap((row) =>
        row.kind === 'match' ? [`${row.match.path} ${row.replacement?.column ?? 'line'}`] : [],
      )
    expect(hits()).toEqual(['a.ts 1', 'a.ts 5', 'b.ts line'])
    const first = searchRows(useSearch.getState().matches, new Set())[1]
    if (first) search.dismiss(first, { replaced: true })
    expect(hits()).toEqual(['a.ts 7', 'b.ts line'])
    search.dismiss({ kind: 'file', path: 'a.ts', count: 1, folded: false })
    expect(hits()).toEqual(['b.ts line'])
    expect(useSearch.getState().total).toBe(1)
  })

  it('requests replacements only while the field is shown', async () => {
    const { asked, search } = main()
    useSearch.setState({ options: { ...emptySearch.options, query: 'a', replacement: 'b' } })
    void search.search()
    useSearch.setState({ options: { ...emptySearch.options, query: 'a', replacement: 'b', replacing: true } })
    void search.search()
    expect(asked.map(({ replacement }) => replacement)).toEqual([undefined, 'b'])
  })

  it('shows only the results of the latest query, even if older ones arrive later', async () => {
    const { asked, search } = main()
    useSearch.setState({ options: { ...emptySearch.options, query: 'first' } })
    const first = search.search()
    useSearch.setState({ options: { ...emptySearch.options, query: 'second' } })
    const second = search.search()
    asked[1]?.answer([match('second.ts', 1)])
    await second
    asked[0]?.answer([match('first.ts', 1)])
    await first
    expect(useSearch.getState().matches.map(({ path }) => path)).toEqual(['second.ts'])
  })

  it('shows the error of an invalid pattern and clears the previous results', async () => {
    const { asked, search } = main()
    useSearch.setState({ matches: [match('old.ts', 1)], options: { ...emptySearch.options, query: '(' } })
    const run = search.search()
    asked[0]?.fail(new ToolError('invalid_pattern', 'unclosed group', 'Close the parenthesis.'))
    await run
    expect(useSearch.getState()).toMatchObject({
      state: 'failed',
      matches: [],
      problem: 'unclosed group Close the parenthesis.',
    })
  })

  it('sends no request for an empty query', async () => {
    const { asked, search } = main()
    await search.search()
    expect(asked).toEqual([])
    expect(useSearch.getState().state).toBe('idle')
  })

  it('a search in a folder ends with the next search, unless its files were changed', () => {
    const { search } = main()
    search.change({ include: '*.md' })
    search.searchFolder('src/[a]')
    expect(useSearch.getState().options.include).toBe('src/?a?/**')
    search.searchFolder('docs')
    search.endFolderSearch()
    expect(useSearch.getState().options.include).toBe('*.md')
    search.searchFolder('docs')
    search.change({ include: 'docs/**, src/**' })
    search.endFolderSearch()
    expect(useSearch.getState().options.include).toBe('docs/**, src/**')
  })

  it('restores a stored query, and searches when the panel is shown', async () => {
    const { asked, search } = main()
    search.restore({ ...emptySearch.options, query: 'foo', include: '*.ts' })
    expect(asked).toEqual([])
    const shown = search.searchAgain()
    asked[0]?.answer([match('a.ts', 1)])
    await shown
    expect(useSearch.getState()).toMatchObject({ state: 'done', options: { query: 'foo', include: '*.ts' } })
    await search.searchAgain()
    expect(asked).toHaveLength(1)
  })
})
