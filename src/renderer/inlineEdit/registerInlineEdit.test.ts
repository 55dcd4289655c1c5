import { afterEach, expect, it, vi } from 'vitest'
import type { editor } from 'monaco-editor'
import { defineCondition, runCommand } from '../platform/commands.ts'
import { attachEditorExtensions } from '../platform/editor/editorExtensions.ts'
import { registerInlineEdit } from './registerInlineEdit.ts'

const extension = vi.hoisted(() => ({ attached: false, started: [] as boolean[], typed: [] as string[] }))
vi.mock('./inlineEditExtension.tsx', () => ({
  attachInlineEdit: () => {
    extension.attached = true
    return { dispose: () => undefined }
  },
  startInlineEdit(typed: string) {
    extension.started.push(extension.attached)
    extension.typed.push(typed)
  },
}))

let stop: () => void
afterEach(() => stop())

it('an inline edit that starts while its code loads waits for the editor', async () => {
  defineCondition('file', () => true)
  stop = registerInlineEdit()
  // The extension uses nothing of the editor here.
  attachEditorExtensions({} as editor.IStandaloneCodeEditor)
  runCommand('inlineEdit.start')
  // What the user types meanwhile is the instruction, and does not reach the text of the file.
  const inFile = vi.fn()
  document.body.addEventListener('keydown', inFile)
  for (const key of ['a', 'd', 'x', 'Backspace', 'd'])
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  await expect.poll(() => extension.started).toEqual([true])
  expect(extension.typed).toEqual(['add'])
  expect(inFile).not.toHaveBeenCalled()
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }))
  expect(inFile).toHaveBeenCalledTimes(1)
})
