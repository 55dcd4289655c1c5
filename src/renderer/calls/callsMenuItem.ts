import { runCommand } from '../platform/commands.ts'
import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'

/** Adds the call hierarchy to the code editor's context menu. */
export const addCallsItem: EditorExtension = (editor) =>
  editor.addAction({
    id: 'tizona.calls.show',
    label: 'Show call hierarchy',
    // The window handles the key. Monaco only shows it in the menu.
    keybindings: [monaco.KeyMod.Alt | monaco.KeyMod.Shift | monaco.KeyCode.KeyH],
    contextMenuGroupId: 'navigation',
    contextMenuOrder: 1.6,
    run: () => void runCommand('calls.show'),
  })
