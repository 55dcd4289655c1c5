import { beforeEach, expect, it, vi } from 'vitest'
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
function open(): { session: NotebookSession; read: () => string; press: (keys: string) => boolean } {
  const buffer = plainBuffer(text)
  vi.spyOn(documents, 'buffer').mockReturnValue(buffer)
  const session = notebookSession(`keys-${paths++}.ipynb`)
  if (!session) throw new Error('No session.')
  session.readAgain()
  return {
    session,
    read: () => buffer.text(),
    press(keys) {
      const key = keys.split('+').at(-1) ?? ''
      const event = { key, code: '', ctrlKey: keys.startsWith('Ctrl+'), altKey: false, shiftKey: false, metaKey: false }
      return handleNotebookKey(event, 'command', session, { run: () => undefined })
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
