import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { plainBuffer } from '../platform/editor/testing/documentsOnDisk.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { handleNotebookKey } from './notebookKeys.ts'
import { notebookSession, type NotebookSession } from './notebookSession.ts'

const text = JSON.stringify(
  {
    cells: [
      {
        cell_type: 'code',
        execution_count: 7,
        id: 'a',
        metadata: { tags: ['t'] },
        outputs: [{ output_type: 'stream', name: 'stdout', text: '1' }],
        source: 'print(1)',
      },
      {
        cell_type: 'markdown',
        attachments: { 'a.png': { 'image/png': 'iVBO' } },
        id: 'b',
        metadata: {},
        source: 'text',
      },
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  },
  null,
  1,
)

let paths = 0
interface Opened {
  session: NotebookSession
  read: () => string
  press: (keys: string) => boolean
  /** Keys of the cells that ran. */
  ran: string[]
}

function open(content = text): Opened {
  const ran: string[] = []
  const buffer = plainBuffer(content)
  vi.spyOn(documents, 'buffer').mockReturnValue(buffer)
  const session = notebookSession(`keys-${paths++}.ipynb`)
  if (!session) throw new Error('No session.')
  session.readAgain()
  return {
    session,
    ran,
    read: () => buffer.text(),
    press(keys) {
      const key = keys.split('+').at(-1) ?? ''
      const event = {
        key,
        code: '',
        ctrlKey: keys.includes('Ctrl+'),
        altKey: keys.includes('Alt+'),
        shiftKey: keys.includes('Shift+'),
        metaKey: false,
      }
      return handleNotebookKey(event, 'command', session, { run: (keys) => ran.push(...keys) })
    },
  }
}

beforeEach(() => {
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: vi.fn(async () => undefined) },
  })
})

it.each([
  ['x', 'v'],
  ['Ctrl+x', 'Ctrl+v'],
])('%s and %s move a cell with its outputs, metadata, attachments and id', (cut, paste) => {
  const { session, read, press } = open()
  press(cut)
  expect(session.store.getState().notebook?.cells).toHaveLength(1)
  press(paste)
  const { cells } = JSON.parse(read())
  expect(cells).toEqual(JSON.parse(text).cells.toReversed())
  press(cut)
  press('z')
  press('z')
  press('z')
  expect(read()).toBe(text)
})

it.each([
  ['c', 'v'],
  ['Ctrl+c', 'Ctrl+v'],
])('%s and %s copy a cell with all but its id', (copy, paste) => {
  const { read, press } = open()
  press(copy)
  press(paste)
  const [first, second, third] = JSON.parse(read()).cells
  expect(second).toEqual({ ...first, id: expect.not.stringMatching(/^[ab]$/) })
  expect(third.id).toBe('b')
  expect(navigator.clipboard.writeText).toHaveBeenLastCalledWith('print(1)')
  press('z')
  expect(read()).toBe(text)
})

describe('several selected cells', () => {
  const cellOf = (id: string, type = 'code') => ({
    cell_type: type,
    ...(type === 'code' && { execution_count: 1 }),
    id,
    metadata: {},
    ...(type === 'code' && { outputs: [{ output_type: 'stream', name: 'stdout', text: id }] }),
    source: [`${id} = 1`],
  })
  const four = JSON.stringify(
    { cells: ['a', 'b', 'c', 'd'].map((id) => cellOf(id)), metadata: {}, nbformat: 4, nbformat_minor: 5 },
    null,
    1,
  )
  const idsOf = (content: string): string =>
    JSON.parse(content)
      .cells.map(({ id }: { id: string }) => id)
      .join('')
  const selectedIn = ({ store }: NotebookSession): string =>
    store
      .getState()
      .notebook?.cells.flatMap(({ key, id }) => (store.getState().selection.has(key) ? [id] : []))
      .join('') ?? ''
  function openFour(...keys: string[]) {
    const opened = open(four)
    keys.forEach(opened.press)
    return opened
  }
  const b = (session: NotebookSession, index: number) => session.store.getState().notebook?.cells[index]?.key ?? ''

  it('grow and shrink with Shift and an arrow, and end with an arrow or Escape', () => {
    const { session, press } = openFour('ArrowDown', 'Shift+ArrowDown', 'Shift+J')
    expect(selectedIn(session)).toBe('bcd')
    press('Shift+ArrowUp')
    expect(selectedIn(session)).toBe('bc')
    press('Shift+K')
    press('Shift+K')
    expect(selectedIn(session)).toBe('ab')
    press('Escape')
    expect(selectedIn(session)).toBe('a')
    press('Ctrl+a')
    expect(selectedIn(session)).toBe('abcd')
    press('ArrowDown')
    expect(selectedIn(session)).toBe('b')
  })

  it('are added and taken away one by one, and at least one stays', () => {
    const { session } = openFour()
    session.toggle(b(session, 2))
    expect(selectedIn(session)).toBe('ac')
    session.toggle(b(session, 2))
    session.toggle(b(session, 0))
    expect(selectedIn(session)).toBe('a')
    session.extendTo(b(session, 1))
    expect(selectedIn(session)).toBe('ab')
  })

  it('stay selected when one of them gets the focus, and not when another cell does', () => {
    const { session } = openFour('Shift+ArrowDown', 'Shift+ArrowDown')
    session.focus(b(session, 0))
    expect(selectedIn(session)).toBe('abc')
    expect(session.store.getState().selected).toBe(b(session, 0))
    expect(session.targets(b(session, 0))).toHaveLength(3)
    session.focus(b(session, 3))
    expect(selectedIn(session)).toBe('d')
  })

  it('are deleted as one undo step, and the next cell is selected', () => {
    const { session, read, press } = openFour('ArrowDown')
    session.toggle(b(session, 3))
    press('d')
    press('d')
    expect(idsOf(read())).toBe('ac')
    expect(selectedIn(session)).toBe('c')
    press('z')
    expect(read()).toBe(four)
  })

  it.each(['ArrowDown', 'End', 'Enter', 'Shift+ArrowDown', 'Ctrl+a', 'y', 'Ctrl+Enter', 'q'])(
    'D, %s, D deletes nothing, and a third D does',
    (between) => {
      const { read, press } = openFour('d', between, 'd')
      expect(idsOf(read())).toBe('abcd')
      press('d')
      expect(idsOf(read())).not.toBe('abcd')
    },
  )

  it('D, a click into another cell, D deletes nothing', () => {
    const { session, read, press } = openFour('d')
    session.select(b(session, 2))
    press('d')
    expect(idsOf(read())).toBe('abcd')
  })

  it('are cut and pasted in their order with their ids, and stay selected', () => {
    const { session, read, press } = openFour('Shift+ArrowDown', 'x')
    expect(idsOf(read())).toBe('cd')
    expect(navigator.clipboard.writeText).toHaveBeenLastCalledWith('a = 1\nb = 1')
    press('v')
    expect(idsOf(read())).toBe('cabd')
    expect(selectedIn(session)).toBe('ab')
    press('c')
    press('v')
    expect(idsOf(read())).toMatch(/^cab[\da-f]{16}d$/)
  })

  it('move together, and stay selected', () => {
    const { session, read, press } = openFour('ArrowDown')
    session.toggle(b(session, 3))
    press('Alt+ArrowUp')
    expect(idsOf(read())).toBe('badc')
    expect(selectedIn(session)).toBe('bd')
    press('Alt+ArrowDown')
    press('Alt+ArrowDown')
    expect(idsOf(read())).toBe('acbd')
  })

  it('run in their order', () => {
    const { session, ran, press } = openFour('ArrowDown', 'Shift+ArrowDown', 'Ctrl+Enter')
    expect(ran).toEqual([b(session, 1), b(session, 2)])
    expect(selectedIn(session)).toBe('bc')
    press('Shift+Enter')
    expect(selectedIn(session)).toBe('d')
  })

  it('change their type as one undo step', () => {
    const { read, press } = openFour('Shift+ArrowDown', 'm')
    const types = () => JSON.parse(read()).cells.map((cell: { cell_type: string }) => cell.cell_type)
    expect(types()).toEqual(['markdown', 'markdown', 'code', 'code'])
    press('z')
    expect(read()).toBe(four)
  })

  it('are merged into the first one without its outputs, a single one with the one below', () => {
    const { session, read, press } = openFour('Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+M')
    expect(JSON.parse(read()).cells[0]).toEqual({
      ...cellOf('a'),
      execution_count: null,
      outputs: [],
      source: ['a = 1\n', 'b = 1\n', 'c = 1'],
    })
    expect(selectedIn(session)).toBe('a')
    press('z')
    expect(read()).toBe(four)
    press('Escape')
    press('End')
    press('Shift+M')
    expect(read()).toBe(four)
    press('Home')
    press('Shift+M')
    expect(idsOf(read())).toBe('acd')
  })

  const pictures = (...contents: Record<string, string>[]) =>
    contents.map((names, index) => ({
      cell_type: 'markdown',
      ...(Object.keys(names).length > 0 && {
        attachments: Object.fromEntries(Object.entries(names).map(([name, data]) => [name, { 'image/png': data }])),
      }),
      id: `m${index}`,
      metadata: {},
      source: Object.keys(names).map((name) => `![](attachment:${encodeURI(name)})`),
    }))
  const notebookWith = (cells: readonly object[]) =>
    JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)

  it('keep all attachments when they are merged: one with the name of another gets a new name', () => {
    const cells = pictures(
      { 'a b.png': 'AAAA', 'c.png': 'CCCC' },
      { 'a b.png': 'BBBB', 'a b-2.png': 'DDDD' },
      { 'c.png': 'CCCC' },
    )
    const { read, press } = open(notebookWith(cells))
    press('Ctrl+a')
    press('Shift+M')
    const [merged] = JSON.parse(read()).cells
    const data = { 'a b.png': 'AAAA', 'c.png': 'CCCC', 'a b-3.png': 'BBBB', 'a b-2.png': 'DDDD' }
    expect(merged.attachments).toEqual(pictures(data)[0]?.attachments)
    const addresses = merged.source.join('').match(/[^:]+(?=\))/g)
    expect(addresses).toEqual(['a%20b.png', 'c.png', 'a%20b-3.png', 'a%20b-2.png', 'c.png'])
  })

  it.each([
    ['others are between them', [cellOf('a'), cellOf('b'), cellOf('c')], [0, 2], /Between/],
    ['they have different types', [cellOf('a'), ...pictures({})], [0, 1], /different types/],
    [
      'a code cell would lose attachments',
      [cellOf('a'), { ...cellOf('b'), attachments: { 'a.png': { 'image/png': 'AAAA' } } }],
      [0, 1],
      /no attachments/,
    ],
  ])('are not merged if %s, and a notice says so', (_why, cells, chosen, reason) => {
    const content = notebookWith(cells)
    const { session, read } = open(content)
    clearNotices()
    session.merge(chosen.map((index) => b(session, index)))
    expect(read()).toBe(content)
    expect(useNotices.getState().notices[0]?.detail).toMatch(reason)
  })
})
