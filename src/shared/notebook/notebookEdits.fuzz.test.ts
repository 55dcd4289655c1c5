import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { fuzz } from '../../main/testing/fuzz.ts'
import { applyTextChanges, type TextChange } from '../editor/textChanges.ts'
import { parseNotebook, updateNotebook, type Notebook, type NotebookCell } from './notebook.ts'
import { changeType, editSource, insertCell, mergeCells, moveCells, removeCells, setOutputs } from './notebookEdits.ts'

// Notebooks of all shapes that programs write: an edit changes its cell, and no other byte of the file.

/** Characters that need care: breaks, quotes, escapes, other scripts, pairs of surrogates. */
const source = fc
  .array(fc.constantFrom('x', ' ', '\n', '"', '\\', '\t', 'é', '中', '😀', 'print(1)', '\u2028', '\u007f', '/'), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''))

const lines = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

const cell = fc.record({
  type: fc.constantFrom('code', 'markdown', 'raw'),
  source,
  asList: fc.boolean(),
  id: fc.option(fc.stringMatching(/^[a-z0-9]{4}$/), { nil: undefined }),
  picture: fc.boolean(),
  reversed: fc.boolean(),
})

const style = fc.record({
  indent: fc.constantFrom(1, 2, 4, '\t', undefined),
  escaped: fc.boolean(),
  newline: fc.boolean(),
})

const escapeAll = (text: string): string =>
  text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const notebooks = fc
  .record({ cells: fc.array(cell, { minLength: 1, maxLength: 5 }), style })
  .map(({ cells, style: { indent, escaped, newline } }) => {
    const all = cells.map(({ type, source: text, asList, id, picture, reversed }) => {
      const entries: [string, unknown][] = [
        ['cell_type', type],
        ...(type === 'code' ? ([['execution_count', null]] as [string, unknown][]) : []),
        ...(id === undefined ? [] : ([['id', id]] as [string, unknown][])),
        ['metadata', { 'key "quoted"': ['é', '}'] }],
        ...(type === 'code'
          ? ([
              [
                'outputs',
                picture ? [{ output_type: 'display_data', metadata: {}, data: { 'image/png': 'A'.repeat(500) } }] : [],
              ],
            ] as [string, unknown][])
          : []),
        ['source', asList ? lines(text) : text],
      ]
      return Object.fromEntries(reversed ? entries.toReversed() : entries)
    })
    const json = JSON.stringify({ metadata: {}, nbformat_minor: 5, cells: all, nbformat: 4 }, null, indent)
    return `${escaped ? escapeAll(json) : json}${newline ? '\n' : ''}`
  })

function read(text: string): Notebook {
  const notebook = parseNotebook(text)
  if ('problem' in notebook) throw new Error(notebook.problem)
  return notebook
}

function apply(text: string, change: TextChange | null): string {
  const after = applyTextChanges(text, change ? [change] : [])
  if (after === null) throw new Error('The change is out of range.')
  return after
}

function applyAll(text: string, changes: readonly TextChange[]): string {
  const after = applyTextChanges(text, changes)
  if (after === null) throw new Error('A change is out of range.')
  return after
}

const at = ({ cells }: Notebook, index: number): NotebookCell => {
  const found = cells[index % cells.length]
  if (found === undefined) throw new Error('There is no cell.')
  return found
}

/** Checks that an update after a change finds the same as reading the whole text. */
function expectSame(before: Notebook, after: string, change: TextChange | null): void {
  const updated = change ? updateNotebook(before, () => after, [change]) : before
  if ('problem' in updated) throw new Error(updated.problem)
  const withoutKeys = ({ cells, spans, array }: Notebook) => ({
    array,
    spans,
    cells: cells.map(({ key: _key, ...rest }) => rest),
  })
  expect(withoutKeys(updated)).toEqual(withoutKeys(read(after)))
}

describe('an edit of a notebook', () => {
  fuzz(
    'sets the source of one cell, and keeps all other bytes',
    [notebooks, fc.nat(), source],
    (text, index, wanted) => {
      const notebook = read(text)
      const target = at(notebook, index)
      const span = notebook.spans[index % notebook.cells.length]
      const change = editSource(notebook, target, wanted)
      const after = apply(text, change)
      expect(at(read(after), index).source).toBe(wanted)
      expect(after.slice(0, span?.start)).toBe(text.slice(0, span?.start))
      const rest = text.slice(span?.end)
      expect(after.slice(after.length - rest.length)).toBe(rest)
      const others = ({ raw, members }: NotebookCell) =>
        members.filter(({ key }) => key !== 'source').map(({ keyStart, end }) => raw.slice(keyStart, end))
      expect(others(at(read(after), index))).toEqual(others(target))
      expectSame(notebook, after, change)
    },
  )

  fuzz('keeps the bytes of lines that stay', [notebooks, fc.nat()], (text, index) => {
    const notebook = read(text)
    const target = at(notebook, index)
    const longer = `${target.source}!`
    const there = read(apply(text, editSource(notebook, target, longer)))
    const back = apply(there.text(), editSource(there, at(there, index), target.source))
    // A list without lines has no style of its own.
    if (target.source !== '') expect(back).toBe(text)
  })

  fuzz(
    'inserts, removes and moves whole cells',
    [notebooks, fc.nat(), fc.nat(), source],
    (text, from, to, inserted) => {
      const notebook = read(text)
      const count = notebook.cells.length
      const index = from % count
      const moved = apply(text, moveCells(notebook, [index], 1))
      expect(
        read(moved)
          .cells.map(({ raw }) => raw)
          .toSorted(),
      ).toEqual(notebook.cells.map(({ raw }) => raw).toSorted())
      if (index + 1 < count) expect(apply(moved, moveCells(read(moved), [index + 1], -1))).toBe(text)
      const position = to % (count + 1)
      const change = insertCell(notebook, position, { type: 'code', source: inserted, id: 'new1' })
      const after = apply(text, change)
      expect(read(after).cells[position]).toMatchObject({ source: inserted, id: 'new1' })
      expect(apply(after, removeCells(read(after), [position])[0] ?? null)).toBe(text)
      expectSame(notebook, after, change)
    },
  )

  fuzz('removes, moves and merges several cells', [notebooks, fc.array(fc.nat())], (text, numbers) => {
    const notebook = read(text)
    const count = notebook.cells.length
    const chosen = [...new Set(numbers.map((number) => number % count))].toSorted((one, other) => one - other)
    const raws = notebook.cells.map(({ raw }) => raw)
    const kept = raws.filter((_, index) => !chosen.includes(index))
    const rawsOf = (changed: string) => read(changed).cells.map(({ raw }) => raw)
    expect(rawsOf(applyAll(text, removeCells(notebook, chosen)))).toEqual(kept)
    for (const step of [-1, 1] as const) {
      const moved = rawsOf(apply(text, moveCells(notebook, chosen, step)))
      expect(moved.toSorted()).toEqual(raws.toSorted())
      const isKept = (raw: string) => kept.includes(raw)
      if (new Set(raws).size === count) expect(moved.filter(isKept)).toEqual(kept)
    }
    const merged = read(applyAll(text, mergeCells(notebook, chosen)))
    expect(merged.cells).toHaveLength(count - Math.max(0, chosen.length - 1))
    const sources = chosen.map((index) => notebook.cells[index]?.source)
    const [first = 0] = chosen
    const isCode = notebook.cells[first]?.type === 'code'
    if (chosen.length > 1) expect(merged.cells[first]?.source).toBe(sources.join(isCode ? '\n' : '\n\n'))
  })

  fuzz('changes types and outputs of valid cells', [notebooks, fc.nat(), source], (text, index, printed) => {
    const notebook = read(text)
    const code = read(apply(text, changeType(notebook, at(notebook, index), 'code')))
    const outputs = [{ output_type: 'stream', name: 'stdout', text: printed } as const]
    const after = read(apply(code.text(), setOutputs(code, at(code, index), outputs, 3)))
    expect(at(after, index)).toMatchObject({ type: 'code', executionCount: 3, source: at(notebook, index).source })
    expect(JSON.parse(at(after, index).raw).outputs).toEqual([{ ...outputs[0], text: lines(printed) }])
    const markdown = read(apply(after.text(), changeType(after, at(after, index), 'markdown')))
    expect(JSON.parse(at(markdown, index).raw)).not.toHaveProperty('outputs')
    expect(at(markdown, index).source).toBe(at(notebook, index).source)
  })
})
