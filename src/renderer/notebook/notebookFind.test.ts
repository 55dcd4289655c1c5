import { afterAll, describe, expect, it, vi } from 'vitest'
import { parseNotebook, type Notebook } from '../../shared/notebook/notebook.ts'
import { createCellSearch, findProblem, replacedSources, replacementOf, type FindOptions } from './notebookFind.ts'

// Without workers.
vi.mock('../platform/editor/monaco/monaco.ts', async () => ({
  monaco: await import('monaco-editor/editor/editor.api'),
}))

function notebookOf(...sources: string[]): Notebook {
  const cells = sources.map((source) => ({
    cell_type: 'code',
    metadata: {},
    outputs: [],
    execution_count: null,
    source,
  }))
  const notebook = parseNotebook(JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }))
  if ('problem' in notebook) throw new Error(notebook.problem)
  return notebook
}

const search = createCellSearch()
afterAll(() => search.dispose())
const plain = { outputs: false, caseSensitive: false, wholeWord: false, regex: false }
const find = (notebook: Notebook, options: Partial<FindOptions> & { query: string }) =>
  search
    .find(notebook, { ...plain, ...options })
    .map(({ key, start, end }) => [notebook.cells.findIndex((cell) => cell.key === key), start, end])

describe('finding', () => {
  const notebook = notebookOf('Total = 1\r\ntotal += 2', 'subtotal', 'none')

  it('finds text in all cells, at the positions that their editors show', () => {
    expect(find(notebook, { query: 'total' })).toEqual([
      [0, 0, 5],
      [0, 10, 15],
      [1, 3, 8],
    ])
  })

  it.each([
    [
      { caseSensitive: true },
      [
        [0, 10, 15],
        [1, 3, 8],
      ],
    ],
    [
      { wholeWord: true },
      [
        [0, 0, 5],
        [0, 10, 15],
      ],
    ],
    [{ regex: true, query: 'total$' }, [[1, 3, 8]]],
    [{ query: '' }, []],
  ])('with %j', (options, expected) => {
    expect(find(notebook, { query: 'total', ...options })).toEqual(expected)
  })

  it('reports an expression that is not valid', () => {
    expect(findProblem({ ...plain, query: '(', regex: true })).toBe('Not a valid regular expression')
    expect(findProblem({ ...plain, query: '(' })).toBeNull()
  })
})

describe('finding in outputs', () => {
  const outputs = [
    { output_type: 'stream', name: 'stdout', text: ['none\r\n', '\u001b[31mto\u001b[0mtal 1'] },
    { output_type: 'execute_result', execution_count: 1, metadata: {}, data: { 'text/plain': 'total 2' } },
    { output_type: 'display_data', metadata: {}, data: { 'image/png': 'total', 'text/plain': 'total' } },
    { output_type: 'error', ename: 'Total', evalue: 'x', traceback: [] },
  ]
  const cell = { cell_type: 'code', execution_count: 1, metadata: {}, outputs, source: 'print(total)' }
  const read = parseNotebook(JSON.stringify({ cells: [cell, cell], metadata: {}, nbformat: 4, nbformat_minor: 4 }))
  if ('problem' in read) throw new Error(read.problem)
  const found = (options: Partial<FindOptions>) =>
    search
      .find(read, { ...plain, query: 'total', ...options })
      .map(({ key, output, start, end }) => [read.cells.findIndex((each) => each.key === key), output, start, end])

  it('finds text as it is shown, after that of the cell', () => {
    const expected = [0, 1].flatMap((index) => [
      [index, undefined, 6, 11],
      [index, 0, 5, 10],
      [index, 1, 0, 5],
      [index, 3, 0, 5],
    ])
    expect(found({ outputs: true })).toEqual(expected)
    expect(found({ outputs: false })).toEqual(expected.filter(([, output]) => output === undefined))
    expect(found({ outputs: true, wholeWord: true, regex: true, query: 'total \\d' })).toHaveLength(4)
  })

  it('replaces nothing in them', () => {
    const matches = search.find(read, { ...plain, outputs: true, query: 'total' })
    expect([...replacedSources(read, matches, 'x', false).values()]).toEqual(['print(x)', 'print(x)'])
  })
})

describe('replacing', () => {
  it('replaces all matches of all cells, and keeps line ends', () => {
    const notebook = notebookOf('a = 1\r\nb = a', 'c', 'a')
    const matches = search.find(notebook, { ...plain, query: 'a', wholeWord: true })
    expect([...replacedSources(notebook, matches, 'xy', false).values()]).toEqual(['xy = 1\r\nb = xy', 'xy'])
  })

  it.each([
    ['$2-$1', 'b-a'],
    ['$&$$', 'a b$'],
    [String.raw`$1\n\t\\n`, 'a\n\t\\n'],
    ['$7', '$7'],
    ['$10 $23 $70', 'a0 b3 $70'],
  ])('inserts groups with %s', (template, expected) => {
    expect(replacementOf({ groups: ['a b', 'a', 'b'] }, template, true)).toBe(expected)
  })

  it('inserts a group with two digits if there are as many', () => {
    const groups = Array.from({ length: 11 }, (_, index) => String.fromCodePoint(97 + index))
    expect(replacementOf({ groups }, '$10 $11', true)).toBe('k b1')
  })

  it('inserts other text as it is', () => {
    expect(replacementOf({ groups: [] }, '$1', false)).toBe('$1')
  })
})
