import { isCompositionKey } from '../platform/keymap/compositionKeys.ts'

/** Collects typed text for an input that is not there yet, so that it does not go into the file. */
export interface CollectedKeys {
  /** Ends collecting. @returns the text; null if the user pressed Escape */
  end(): string | null
}

/** Starts to collect. Keys with modifiers and keys that move the cursor have their usual effect. */
export function collectKeys(): CollectedKeys {
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
