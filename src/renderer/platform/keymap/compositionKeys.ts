/** Fields that handle composition themselves: Monaco's editors and terminals. */
const ownFields = '.monaco-editor .inputarea, .monaco-editor .native-edit-context, .xterm-helper-textarea'

/**
 * Whether a key belongs to an input method. The first key of a composition, and in some browsers the last, is sent
 * outside of it with key code 229.
 */
export function isCompositionKey({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229
}

/**
 * Keeps an input method's keys (for Chinese or Japanese, say) from the window's own handlers: Enter accepts the
 * composed text, and must not also send a message or rename a file. The field still receives them.
 * @returns a function that stops it
 */
export function ignoreCompositionKeys(): () => void {
  const listener = (event: KeyboardEvent): void => {
    const isOwnField = event.target instanceof Element && event.target.matches(ownFields)
    if (isCompositionKey(event) && !isOwnField) event.stopImmediatePropagation()
  }
  addEventListener('keydown', listener, true)
  return () => removeEventListener('keydown', listener, true)
}
