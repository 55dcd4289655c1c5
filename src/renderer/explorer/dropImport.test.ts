import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { uploadPieceBytes } from '../../shared/files/files.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { useConfirm } from '../platform/confirm.ts'
import { useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { cancelImport, importDrop, planImport, useDropProgress, readDrop, type DroppedEntry } from './dropImport.ts'
import { rootPath } from './fileTree.ts'

const file = (path: string, text = path): DroppedEntry => ({ path, file: new File([text], path) })
const folder = (path: string): DroppedEntry => ({ path, file: null })

describe('names that exist', () => {
  const dropped = [file('a.txt'), folder('dir'), file('dir/b.txt'), file('new.txt')]
  const plan = (choice: Parameters<typeof planImport>[3], into = 'src') => {
    const { entries, roots } = planImport(dropped, into, new Set(['a.txt', 'dir', 'dir copy']), choice)
    const replaced = entries.flatMap(({ path, overwrite }) => (overwrite ? [path] : []))
    return { paths: entries.map(({ path }) => path), roots, replaced }
  }
  it('are left out, replaced, or kept beside under a free name', () => {
    expect(plan('skip')).toEqual({ paths: ['src/new.txt'], roots: ['src/new.txt'], replaced: [] })
    expect(plan('replace')).toEqual({
      paths: ['src/a.txt', 'src/dir', 'src/dir/b.txt', 'src/new.txt'],
      roots: ['src/a.txt', 'src/dir', 'src/new.txt'],
      replaced: ['src/a.txt', 'src/dir', 'src/dir/b.txt'],
    })
    expect(plan('keepBoth', rootPath)).toEqual({
      paths: ['a copy.txt', 'dir copy 2', 'dir copy 2/b.txt', 'new.txt'],
      roots: ['a copy.txt', 'dir copy 2', 'new.txt'],
      replaced: [],
    })
  })
})

it('reads dropped folders with their content', async () => {
  const fileEntry = (name: string) => ({
    name,
    isFile: true,
    file: (done: (file: File) => void) => done(new File([], name)),
  })
  const directory = (name: string, children: object[]) => ({
    name,
    isFile: false,
    createReader: () => {
      const parts = [children.slice(0, 1), children.slice(1), []]
      return { readEntries: (done: (entries: object[]) => void) => done(parts.shift() ?? []) }
    },
  })
  const roots = [fileEntry('a.txt'), directory('dir', [fileEntry('b.txt'), directory('empty', [])])]
  const items = roots.map((root) => ({ kind: 'file', webkitGetAsEntry: () => root }))
  const found = await readDrop({ items } as unknown as DataTransfer)
  expect(found.map(({ path, file: content }) => [path, content !== null])).toEqual([
    ['a.txt', true],
    ['dir', false],
    ['dir/b.txt', true],
    ['dir/empty', false],
  ])
})

describe('copying what was dropped', () => {
  let main: TestMain
  let sent: Map<string, string>
  beforeEach(() => {
    main = testMain()
    sent = new Map()
    useApp.setState({ state: { hostFeatures: { trash: false } } as AppState })
    useNotices.setState({ notices: [] })
    main.responses['files.list'] = () => []
    main.responses['files.beginUpload'] = ({ path }) => path
    main.responses['files.uploadPiece'] = ({ id, base64 }) => void sent.set(id, (sent.get(id) ?? '') + atob(base64))
  })
  afterEach(() => useApp.setState({ state: null }))
  const count = (method: string) => main.requests.filter((each) => each.method === method).length

  it('sends files in bounded pieces and creates folders', async () => {
    const text = 'x'.repeat(2 * uploadPieceBytes + 5)
    await importDrop(Promise.resolve([folder('dir'), file('dir/big.txt', text), file('empty.txt', '')]), rootPath)
    expect(sent.get('dir/big.txt')).toBe(text)
    expect([count('files.uploadPiece'), count('files.finishUpload'), count('files.create')]).toEqual([3, 2, 1])
    expect(useNotices.getState().notices.map(({ message }) => message)).toEqual([
      'Copied 2 items to the workspace folder.',
    ])
  })

  it('asks before it replaces, and does nothing if the question is cancelled', async () => {
    main.responses['files.list'] = () => [{ name: 'a.txt', path: 'a.txt', type: 'file' }]
    const done = importDrop(Promise.resolve([file('a.txt')]), rootPath)
    const pending = await vi.waitUntil(() => useConfirm.getState().pending)
    expect(pending.request.items).toEqual(['a.txt'])
    pending.answer(null)
    await done
    expect(count('files.beginUpload')).toBe(0)
  })

  it('shows its progress, and when cancelled leaves no file half written', async () => {
    const shown: (number | undefined)[] = []
    main.responses['files.uploadPiece'] = ({ id }) => {
      shown.push(useDropProgress.getState().progress?.done)
      if (id === 'b.bin' && shown.length === 3) cancelImport()
    }
    const big = 'x'.repeat(3 * uploadPieceBytes)
    await importDrop(Promise.resolve([file('a.txt', 'a'), file('b.bin', big), file('c.txt')]), rootPath)
    expect(shown).toEqual([0, 1, 1 + uploadPieceBytes])
    expect(main.requests.filter(({ method }) => method === 'files.cancelUpload')).toMatchObject([
      { params: { id: 'b.bin' } },
    ])
    expect([count('files.beginUpload'), count('files.finishUpload')]).toEqual([2, 1])
    expect(useDropProgress.getState().progress).toBeNull()
    expect(useNotices.getState().notices).toMatchObject([
      {
        level: 'info',
        message: 'Copying to the workspace folder was cancelled.',
        detail: 'Copied 1 of 3 entries.',
        actions: [{ label: 'Undo' }],
      },
    ])
  })

  it('cancels a file that fails midway and says what was copied', async () => {
    main.responses['files.uploadPiece'] = ({ id }) => {
      if (id === 'b.txt') throw new ToolError('no_space', 'The disk is full.', 'Free some space.')
    }
    await importDrop(Promise.resolve([file('a.txt'), file('b.txt'), file('c.txt')]), rootPath)
    expect(main.requests.filter(({ method }) => method === 'files.cancelUpload')).toMatchObject([
      { params: { id: 'b.txt' } },
    ])
    const [notice] = useNotices.getState().notices
    expect(notice).toMatchObject({ level: 'error', message: expect.stringContaining('The disk is full.') })
    expect(notice?.detail).toContain('1 of 3 entries')
  })
})
