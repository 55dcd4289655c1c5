import { handleCommand } from '../platform/commands.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import type * as InlineEditExtension from './inlineEditExtension.tsx'
import { isCompositionKey } from '../platform/keymap/compositionKeys.ts'

/**
 * Registers the commands of inline edits. The code loads with the first code editor.
 * @returns a function that unregisters them
 */
export function registerInlineEdit(): () => void {
  let loaded: typeof InlineEditExtension | null = null
  const load = async (): Promise<typeof InlineEditExtension> => (loaded = await import('./inlineEditExtension.tsx'))
  const stops = [
    contributeEditorExtension(async () => (await load()).attachInlineEdit),
    // Do not wait, so that the next typed text goes to the input and not to the file.
    handleCommand('inlineEdit.start', async () => {
      if (loaded) return loaded.startInlineEdit()
      const keys = collectKeys()
      try {
        const { startInlineEdit } = await load()
        // One task later, when the newly loaded code is attached to the open editors.
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

/** Collects typed text for an input that does not exist yet, so that it does not go into the file. */
interface CollectedKeys {
  /** Ends collecting. @returns the text; null if the user pressed Escape */
  end(): string | null
}

/** Starts collecting. Keys with modifiers and keys that move the cursor have their usual effect. */
function collectKeys(): CollectedKeys {
  let text: string | null = ''
  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event
    if (isCompositionKey(event) || event.ctrlKey || event.metaKey || event.altKey || text === null) return
    if (key.length === 1) text += key
    else if (key === 'Backspace') text = text.slice(0, -1)
    else if (key === 'Escape') text = null
    // Enter would send an instruction that the user has not seen.
    else if (key !== 'Enter') return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('keydown', onKeyDown, { capture: true })
  return {
    end() {
      removeEventListener('keydown', onKeyDown, { capture: true })
      return text
    },
  }
}
