import { afterEach, expect, it, vi } from 'vitest'
import type { editor } from 'monaco-editor'
import { defineCondition, runCommand } from '../platform/commands.ts'
import { attachEditorExtensions } from '../platform/editor/editorExtensions.ts'
import { registerInlineEdit } from './registerInlineEdit.ts'

const extension = vi.hoisted(() => ({ attached: false, started: [] as boolean[] }))
vi.mock('./inlineEditExtension.tsx', () => ({
  attachInlineEdit: () => {
    extension.attached = true
    return { dispose: () => undefined }
  },
  startInlineEdit: () => extension.started.push(extension.attached),
}))

let stop: () => void
afterEach(() => stop())

it('an inline edit that starts while its code loads waits for the editor', async () => {
  defineCondition('file', () => true)
  stop = registerInlineEdit()
  // The extension uses nothing of the editor here.
  attachEditorExtensions({} as editor.IStandaloneCodeEditor)
  runCommand('inlineEdit.start')
  await expect.poll(() => extension.started).toEqual([true])
})
