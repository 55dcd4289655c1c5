import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { runCommand } from '../platform/commands.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'

/** Adds chat items to the code editor's context menu. */
export const addChatItems: EditorExtension = (editor) => {
  const items = [
    editor.addAction({
      id: 'tizona.chat.addSelection',
      label: 'Add selection to chat',
      precondition: 'editorHasSelection',
      // The window handles the key. Monaco only shows it in the menu.
      keybindings: [monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyL],
      contextMenuGroupId: '1_chat',
      run: () => void runCommand('chat.addSelection'),
    }),
    editor.addAction({
      id: 'tizona.chat.addFile',
      label: 'Add file to chat',
      contextMenuGroupId: '1_chat',
      run: () => void runCommand('chat.addFile'),
    }),
  ]
  return { dispose: () => items.forEach((item) => item.dispose()) }
}
