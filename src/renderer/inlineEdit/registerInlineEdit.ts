import { handleCommand } from '../platform/commands.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { collectKeys } from './collectKeys.ts'
import type * as InlineEditExtension from './inlineEditExtension.tsx'

/**
 * Registers the commands of inline edits. The code loads with the first code editor.
 * @returns a function that unregisters them
 */
export function registerInlineEdit(): () => void {
  let loaded: typeof InlineEditExtension | null = null
  const load = async (): Promise<typeof InlineEditExtension> => (loaded = await import('./inlineEditExtension.tsx'))
  const stops = [
    contributeEditorExtension(async () => (await load()).attachInlineEdit),
    // Without a wait, so that what the user types next is in the input and not in the text of the file.
    handleCommand('inlineEdit.start', async () => {
      if (loaded) return loaded.startInlineEdit()
      const keys = collectKeys()
      try {
        const { startInlineEdit } = await load()
        // A task later, when the code that just loaded is attached to the open editors.
        setTimeout(() => {
          const typed = keys.end()
          if (typed !== null) startInlineEdit(typed)
        })
      } catch (error) {
        keys.end()
        throw error
      }
    }),
    handleCommand('inlineEdit.apply', async (block) =>
      // src/shared/editor/commandsAndKeybindings.ts declares this argument type.
      (await load()).applyCodeBlock(block as { code: string; language: string }),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}
