import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Settings } from '../../shared/settings/settings.ts'
import { documentsOnDisk } from '../platform/editor/testing/documentsOnDisk.ts'
import { createAutoSave } from './autoSave.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function open(autoSave: Settings['editor']['autoSave']) {
  const opened = documentsOnDisk({ 'a.txt': 'a', 'b.txt': 'b' })
  await Promise.all([opened.documents.open('a.txt'), opened.documents.open('b.txt')])
  const save = vi.fn(async (paths: readonly string[], _reason: string) => {
    for (const path of paths) await opened.documents.save(path)
  })
  const autoSaver = createAutoSave({
    documents: opened.documents,
    settings: () => ({ autoSave, autoSaveDelay: 1000 }),
    save,
  })
  return { ...opened, save, autoSaver }
}

it('after a delay, a file is saved when the user has stopped typing', async () => {
  const { buffer, save, disk } = await open('afterDelay')
  buffer('a.txt').type('one')
  await vi.advanceTimersByTimeAsync(900)
  buffer('a.txt').type('two')
  await vi.advanceTimersByTimeAsync(900)
  expect(save).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  expect(save.mock.calls).toEqual([[['a.txt'], 'delay']])
  expect(disk.get('a.txt')?.text).toBe('two')
  buffer('a.txt').type('three')
  await vi.advanceTimersByTimeAsync(1100)
  expect(disk.get('a.txt')?.text).toBe('three')
})

it('a file that the user saved or undid in the meantime is not saved again', async () => {
  const { buffer, save } = await open('afterDelay')
  buffer('a.txt').type('one')
  buffer('a.txt').undo()
  await vi.advanceTimersByTimeAsync(5000)
  expect(save).not.toHaveBeenCalled()
})

it('a file with a conflict waits for the user', async () => {
  const { buffer, save, write, documents, autoSaver } = await open('onFocusChange')
  buffer('a.txt').type('mine')
  write('a.txt', 'theirs')
  await documents.checkDisk('a.txt')
  autoSaver.editorLeft('a.txt')
  autoSaver.windowLeft()
  expect(save).not.toHaveBeenCalled()
})

it('on focus change, the file that the user leaves is saved, and all files with the window', async () => {
  const { buffer, save, autoSaver } = await open('onFocusChange')
  buffer('a.txt').type('one')
  buffer('b.txt').type('two')
  autoSaver.editorLeft('a.txt')
  expect(save.mock.calls).toEqual([[['a.txt'], 'focus']])
  await vi.advanceTimersByTimeAsync(0)
  autoSaver.windowLeft()
  expect(save.mock.calls[1]).toEqual([['b.txt'], 'focus'])
})

it('on window change, leaving the editor saves nothing; off, nothing does', async () => {
  const { buffer, save, autoSaver } = await open('onWindowChange')
  buffer('a.txt').type('one')
  autoSaver.editorLeft('a.txt')
  expect(save).not.toHaveBeenCalled()
  autoSaver.windowLeft()
  expect(save).toHaveBeenCalledOnce()
  const off = await open('off')
  off.buffer('a.txt').type('one')
  off.autoSaver.windowLeft()
  off.autoSaver.editorLeft('a.txt')
  await vi.advanceTimersByTimeAsync(5000)
  expect(off.save).not.toHaveBeenCalled()
})
