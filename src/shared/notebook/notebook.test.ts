import { describe, expect, it, vi } from 'vitest'
import { applyTextChanges, type TextChange } from '../editor/textChanges.ts'
import { isNotebookPath } from './notebookPath.ts'
import { parseNotebook, updateNotebook, type Notebook, type NotebookCell } from './notebook.ts'
import {
  changeType,
  editSource,
  insertCell,
  moveCells,
  newNotebookText,
  pasteCells,
  removeCells,
  setOutputs,
} from './notebookEdits.ts'

const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a1",
   "metadata": {},
   "source": [
    "# Caf\\u00e9\\n",
    "\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 2,
   "id": "b2",
   "metadata": {"tags": ["x"]},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1\\n"
     ]
    }
   ],
   "source": [
    "print(1)"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

function read(text: string): Notebook {
  const notebook = parseNotebook(text)
  if ('problem' in notebook) throw new Error(notebook.problem)
  return notebook
}

function cellAt(notebook: Notebook, index: number): NotebookCell {
  const cell = notebook.cells[index]
  if (cell === undefined) throw new Error(`There is no cell ${index}.`)
  return cell
}

function apply({ text }: Notebook, change: TextChange | null): string {
  const after = applyTextChanges(text(), change ? [change] : [])
  if (after === null) throw new Error('The change is out of range.')
  return after
}

const withSource = (text: string, index: number, source: string): string => {
  const notebook = read(text)
  return apply(notebook, editSource(notebook, cellAt(notebook, index), source))
}

describe('reading', () => {
  it('finds cells with their type, id, number and source', () => {
    const { cells, minor, language, kernelName } = read(jupyter)
    expect(cells).toMatchObject([
      { type: 'markdown', id: 'a1', source: '# Café\n\ntext', executionCount: null },
      { type: 'code', id: 'b2', source: 'print(1)', executionCount: 2 },
    ])
    expect({ minor, language, kernelName }).toEqual({ minor: 5, language: 'python', kernelName: 'python3' })
  })

  it.each([
    ['', 'The file is empty.'],
    ['{"cells": [', 'It is not valid JSON'],
    ['[]', 'It is not a JSON object.'],
    ['{"worksheets": []}', 'It does not name its format'],
    ['{"nbformat": 3, "worksheets": []}', 'It has nbformat 3'],
    ['{"nbformat": 5, "cells": []}', 'which is newer'],
    ['{"nbformat": 4}', 'It has no list of cells.'],
    ['{"nbformat": 4, "cells": [1]}', 'Cell 1 is not an object.'],
    ['{"nbformat": 4, "cells": [{"cell_type": "code", "source": 1}]}', 'Cell 1 has no source.'],
    ['{"nbformat": 4, "cells": [{"cell_type": "chart", "source": ""}]}', 'Cell 1 has the unknown type "chart".'],
    ['['.repeat(1_000_000), 'It is not valid JSON'],
  ])('says why %.40j is no notebook', (text, problem) => {
    expect(parseNotebook(text)).toMatchObject({ problem: expect.stringContaining(problem) })
  })

  it('knows notebooks by their name', () => {
    expect(['a.ipynb', 'A.IPYNB', 'a.ipynb.txt', 'ipynb'].map(isNotebookPath)).toEqual([true, true, false, false])
  })
})

describe('source', () => {
  it('keeps escapes, lines and everything else that was not edited', () => {
    expect(withSource(jupyter, 0, '# Café!\n\ntext')).toBe(jupyter.replace('\\u00e9', '\\u00e9!'))
    expect(withSource(jupyter, 1, 'print(12)')).toBe(jupyter.replace('"print(1)"', '"print(12)"'))
  })

  it('adds, joins and removes lines of a list', () => {
    expect(withSource(jupyter, 1, 'print(1)\nx')).toBe(jupyter.replace('"print(1)"', '"print(1)\\n",\n    "x"'))
    expect(withSource(jupyter, 0, '# Café\ntext')).toBe(jupyter.replace('    "\\n",\n', ''))
    expect(withSource(jupyter, 0, '# Cafétext')).toBe(
      jupyter.replace('    "# Caf\\u00e9\\n",\n    "\\n",\n    "text"', '    "# Caf\\u00e9text"'),
    )
    expect(withSource(jupyter, 1, '')).toBe(jupyter.replace('[\n    "print(1)"\n   ]', '[]'))
    expect(withSource(withSource(jupyter, 1, ''), 1, 'print(1)')).toBe(jupyter)
  })

  it('keeps a source that is one string', () => {
    const text = '{"cells":[{"cell_type":"code","source":"a\\u0062\\nc"}],"nbformat":4,"nbformat_minor":2}'
    expect(withSource(text, 0, 'ab\ncd')).toBe(text.replace('\\nc', '\\ncd'))
  })

  it('writes pairs of surrogates whole', () => {
    const text = '{"cells":[{"cell_type":"code","source":["x = \\"😀\\""]}],"nbformat":4}'
    expect(withSource(text, 0, 'x = "😁"')).toBe(text.replace('😀', '😁'))
  })
})

describe('cells', () => {
  it('pastes a cell with its outputs, metadata and number, and with an id of its own', () => {
    const notebook = read(jupyter)
    const { raw } = cellAt(notebook, 1)
    const pasted = read(
      apply(
        notebook,
        pasteCells(notebook, 2, [{ raw, keepsId: true }], () => 'new1'),
      ),
    )
    expect(cellAt(pasted, 2).raw).toBe(raw.replace('"b2"', '"new1"'))
    expect(pasted.text().startsWith(notebook.text().slice(0, notebook.spans[1]?.end))).toBe(true)
  })

  it('keeps the id of a cell that was cut, unless another cell has it', () => {
    const notebook = read(jupyter)
    const { raw } = cellAt(notebook, 1)
    const cut = read(apply(notebook, removeCells(notebook, [1])[0] ?? null))
    expect(
      apply(
        cut,
        pasteCells(cut, 1, [{ raw, keepsId: true }], () => 'new1'),
      ),
    ).toBe(jupyter)
    expect(
      read(
        apply(
          cut,
          pasteCells(cut, 0, [{ raw, keepsId: false }], () => 'new1'),
        ),
      ).cells[0]?.id,
    ).toBe('new1')
  })

  it('pastes attachments into notebooks without ids, and from them', () => {
    const raw =
      '{"cell_type":"markdown","id":"a","attachments":{"a.png":{"image/png":"iVBO"}},"metadata":{},"source":"x"}'
    const old = read('{"cells":[],"nbformat":4,"nbformat_minor":4}')
    const withoutId = raw.replace('"id":"a",', '')
    const pasted = read(
      apply(
        old,
        pasteCells(old, 0, [{ raw, keepsId: true }], () => 'new1'),
      ),
    )
    expect(cellAt(pasted, 0).raw).toBe(withoutId)
    const notebook = read(jupyter)
    const back = read(
      apply(
        notebook,
        pasteCells(notebook, 0, [{ raw: withoutId, keepsId: true }], () => 'new1'),
      ),
    )
    expect(JSON.parse(cellAt(back, 0).raw)).toEqual({ ...JSON.parse(raw), id: 'new1' })
  })

  it('inserts cells in the style of the file, with an id only where the format has ids', () => {
    const notebook = read(jupyter)
    const after = apply(notebook, insertCell(notebook, 1, { type: 'code', source: 'a\nb', id: 'new' }))
    expect(after).toContain(
      '  },\n  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "new",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "a\\n",\n    "b"\n   ]\n  },\n  {\n',
    )
    expect(read(after).cells.map(({ id }) => id)).toEqual(['a1', 'new', 'b2'])
    const old = read(jupyter.replace('"nbformat_minor": 5', '"nbformat_minor": 4'))
    expect(apply(old, insertCell(old, 2, { type: 'raw', source: '', id: 'new' }))).not.toContain('new')
  })

  it('removing an inserted cell restores the text', () => {
    const notebook = read(jupyter)
    for (const index of [0, 1, 2]) {
      const after = read(apply(notebook, insertCell(notebook, index, { type: 'code', source: 'a', id: 'new' })))
      expect(after.cells).toHaveLength(3)
      expect(apply(after, removeCells(after, [index])[0] ?? null)).toBe(jupyter)
    }
  })

  it('fills an empty list of cells', () => {
    let text = apply(read(jupyter), removeCells(read(jupyter), [0])[0] ?? null)
    text = apply(read(text), removeCells(read(text), [0])[0] ?? null)
    expect(read(text).cells).toEqual([])
    const filled = apply(read(text), insertCell(read(text), 0, { type: 'code', source: '', id: 'n' }))
    expect(filled).toContain('"cells": [\n  {\n   "cell_type": "code",')
  })

  it('moves cells with their text', () => {
    const notebook = read(jupyter)
    const moved = read(apply(notebook, moveCells(notebook, [0], 1)))
    expect(moved.cells.map(({ raw }) => raw)).toEqual(notebook.cells.map(({ raw }) => raw).toReversed())
    expect(apply(moved, moveCells(moved, [1], -1))).toBe(jupyter)
  })

  it('changes the type and back', () => {
    const notebook = read(jupyter)
    const code = read(apply(notebook, changeType(notebook, cellAt(notebook, 0), 'code')))
    expect(JSON.parse(cellAt(code, 0).raw)).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: 'a1',
      metadata: {},
      outputs: [],
      source: ['# Café\n', '\n', 'text'],
    })
    expect(apply(code, changeType(code, cellAt(code, 0), 'markdown'))).toBe(jupyter)
  })

  it('sets outputs as nbformat writes them', () => {
    const notebook = read(jupyter)
    const cleared = read(apply(notebook, setOutputs(notebook, cellAt(notebook, 1), [], null)))
    expect(cleared.text()).toContain('"execution_count": null,\n   "id": "b2",')
    expect(cleared.text()).toContain('"outputs": [],')
    const again = setOutputs(cleared, cellAt(cleared, 1), [{ output_type: 'stream', name: 'stdout', text: '1\n' }], 2)
    expect(apply(cleared, again)).toBe(jupyter)
  })
})

describe('updating after changes', () => {
  it('reads only the changed cell, and keeps the keys of all', () => {
    const before = read(jupyter)
    const change = editSource(before, cellAt(before, 0), 'longer text')
    const after = updateNotebook(before, () => apply(before, change), change ? [change] : [])
    if ('problem' in after) throw new Error(after.problem)
    expect(after.cells.map(({ key }) => key)).toEqual(before.cells.map(({ key }) => key))
    expect(after).toMatchObject({ cells: [{ source: 'longer text' }, { source: 'print(1)' }] })
    const fresh = read(after.text())
    expect(after.spans).toEqual(fresh.spans)
    expect(after.cells[1]).toBe(before.cells[1])
    expect(after.array).toEqual(fresh.array)
  })

  it('reads nothing but the source that is typed, so that outputs are neither read nor drawn again', () => {
    const before = read(jupyter)
    const cell = cellAt(before, 1)
    const change = editSource(before, cell, `${cell.source}!`)
    const text = vi.fn(() => apply(before, change))
    const after = updateNotebook(before, text, change ? [change] : [])
    if ('problem' in after) throw new Error(after.problem)
    expect(text).not.toHaveBeenCalled()
    expect(cellAt(after, 1).rest).toBe(cell.rest)
    expect(cellAt(after, 1)).toMatchObject({ ...cellAt(read(apply(before, change)), 1), key: cell.key })
  })

  it.each([['"'], [']'], ['\n']])('reads the whole notebook when %j makes a source invalid', (typed) => {
    const before = read(jupyter)
    const offset = jupyter.indexOf('print(1)')
    const after = jupyter.slice(0, offset) + typed + jupyter.slice(offset)
    expect(updateNotebook(before, () => after, [{ offset, length: 0, text: typed }])).toEqual(
      'problem' in parseNotebook(after, before)
        ? expect.objectContaining({ problem: expect.any(String) })
        : expect.objectContaining({ cells: read(after).cells.map(() => expect.anything()) }),
    )
  })

  it('keeps the keys of other cells when one is inserted, removed or moved', () => {
    const before = read(jupyter)
    const [one, two] = before.cells.map(({ key }) => key)
    const change = insertCell(before, 1, { type: 'code', source: '', id: 'n' })
    const after = updateNotebook(before, () => apply(before, change), [change])
    expect('cells' in after && after.cells.map(({ key }) => key)).toEqual([one, expect.any(String), two])
    const moving = moveCells(before, [0], 1)
    const moved = updateNotebook(before, () => apply(before, moving), moving ? [moving] : [])
    expect('cells' in moved && moved.cells.map(({ key }) => key)).toEqual([two, one])
  })

  it('reports a text that is no notebook any more', () => {
    const before = read(jupyter)
    expect(updateNotebook(before, () => jupyter.slice(1), [{ offset: 0, length: 1, text: '' }])).toHaveProperty(
      'problem',
    )
  })
})

it('a new notebook is valid', () => {
  expect(read(newNotebookText('abc')).cells).toMatchObject([{ type: 'code', id: 'abc', source: '' }])
})
