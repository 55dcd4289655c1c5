import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createKeybindingStore } from './keybindingStore.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const notices: string[] = []
const changed = vi.fn()
const open = () => createKeybindingStore(folder.root, (message) => notices.push(message), changed)
const file = () => path.join(folder.root, 'keybindings.json')

beforeEach(async () => {
  folder = await temporaryFolder()
  notices.length = 0
  changed.mockReset()
})
afterEach(() => folder.remove())

it('stores the shortcuts of the user', async () => {
  const store = await open()
  expect(store.get()).toEqual([])
  await store.set([{ key: 'ctrl+y', command: 'edit.redo' }])
  expect(changed).toHaveBeenCalledWith([{ key: 'ctrl+y', command: 'edit.redo' }])
  expect((await open()).get()).toEqual([{ key: 'ctrl+y', command: 'edit.redo' }])
})

it('applies the file when another program has changed it', async () => {
  const store = await open()
  const stop = store.follow()
  await writeFile(file(), '[{"key": "f9", "command": "file.save", "args": {"a": 1}}]')
  await vi.waitFor(() => expect(changed).toHaveBeenCalled())
  stop()
  expect(store.get()[0]).toMatchObject({ key: 'f9', args: { a: 1 } })
})

it('a file of another form stays as it is, with a notice, and the defaults apply', async () => {
  await writeFile(file(), '{"key": 1}')
  expect((await open()).get()).toEqual([])
  expect(notices[0]).toContain('keybindings.json')
  expect(await readFile(file(), 'utf8')).toBe('{"key": 1}')
})

it('an invalid shortcut costs only itself, and stays in the file', async () => {
  const text = '[{"key": "f9", "command": "file.save"}, {"key": 1, "command": "edit.redo"}, // mine\n]'
  await writeFile(file(), text)
  const store = await open()
  expect(store.get()).toEqual([{ key: 'f9', command: 'file.save' }])
  expect(notices[0]).toContain('1.key')
  await store.set([{ key: 'f8', command: 'file.save' }])
  expect(await readFile(file(), 'utf8')).toContain('edit.redo')
})
