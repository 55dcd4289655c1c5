/** Fields that handle compositions themselves: the text of Monaco's editors and of terminals. */
const ownFields = '.monaco-editor .inputarea, .monaco-editor .native-edit-context, .xterm-helper-textarea'

/**
 * Whether a key belongs to an input method. The first key of a composition and, in some browsers, the last come before
 * or after it: they have the code 229 instead.
 */
export function isCompositionKey({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229
}

/**
 * Keeps the keys of an input method (for Chinese or Japanese, say) away from the window's own handlers: Enter accepts the
 * composed text, and must not send a message or rename a file as well. The field still gets them.
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
