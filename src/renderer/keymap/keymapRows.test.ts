import { expect, it } from 'vitest'
import { commandsWithKeys, filterRows, keymapRows } from './keymapRows.ts'

const table = [
  { id: 'file.save', keys: ['Ctrl+S'] },
  { id: 'file.new', keys: ['Ctrl+N'] },
  { id: 'chat.startTour', keys: [] },
]
const editor = [{ id: 'editor.action.commentLine', label: 'Toggle Line Comment', keys: ['Ctrl+/'] }]
const same = (keys: string) => keys
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

it('lists the commands of the window and the editor, without those that need an argument', () => {
  expect(ids(keymapRows(table, editor, []))).toEqual(['file.save', 'file.new', 'editor.action.commentLine'])
})

it('shows the conflict of a key that two commands have, on both', () => {
  const rows = keymapRows(table, editor, [{ key: 'ctrl+s', command: 'editor.action.commentLine' }])
  expect(filterRows(rows, '', 'conflicts', same).map(({ title, conflicts }) => [title, [...conflicts]])).toEqual([
    ['File: Save', [['Ctrl+S', ['Editor: Toggle Line Comment']]]],
    ['Editor: Toggle Line Comment', [['Ctrl+S', ['File: Save']]]],
  ])
  expect(commandsWithKeys(rows, 'Ctrl+S', 'file.new')).toEqual(['File: Save', 'Editor: Toggle Line Comment'])
})

it('finds commands by words, by id and by keys, and those that the user changed', () => {
  const rows = keymapRows(table, editor, [{ key: 'ctrl+n', command: '-file.new' }])
  expect(ids(filterRows(rows, 'comment line', 'all', same))).toEqual(['editor.action.commentLine'])
  expect(ids(filterRows(rows, 'ctrl+s', 'all', same))).toEqual(['file.save'])
  expect(ids(filterRows(rows, 'file.', 'changed', same))).toEqual(['file.new'])
  expect(rows[1]?.current).toEqual([])
})
