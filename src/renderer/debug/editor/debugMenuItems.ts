import { runCommand } from '../../platform/commands.ts'
import type { EditorExtension } from '../../platform/editor/editorExtensions.ts'
import { addWatch } from '../values/frameValues.ts'

/** Adds the debugger's items to the code editor's context menu. */
export const addDebugItems: EditorExtension = (editor) => {
  const group = '1_debug'
  const items = [
    editor.addAction({
      id: 'tizona.debug.file',
      label: 'Debug this file',
      contextMenuGroupId: group,
      contextMenuOrder: 1,
      run: () => void runCommand('debug.file'),
    }),
    editor.addAction({
      id: 'tizona.debug.test',
      label: 'Debug test at cursor',
      contextMenuGroupId: group,
      contextMenuOrder: 2,
      run: () => void runCommand('debug.test'),
    }),
    editor.addAction({
      id: 'tizona.debug.watch',
      label: 'Add to watch',
      precondition: 'editorHasSelection',
      contextMenuGroupId: group,
      contextMenuOrder: 3,
      run() {
        const selection = editor.getSelection()
        const text = selection && editor.getModel()?.getValueInRange(selection)
        if (text) addWatch(text)
      },
    }),
  ]
  return { dispose: () => items.forEach((item) => item.dispose()) }
}
