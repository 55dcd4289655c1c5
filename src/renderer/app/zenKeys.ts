import { toggleZenMode, useLayout } from '../platform/layout/layoutStore.ts'

/** Maximum milliseconds between the two presses. */
const doublePressMs = 1000

/**
 * Ends zen mode when Escape is pressed twice, as in VS Code. A press that closes something, such as suggestions, does not
 * count.
 * @returns a function that stops it
 */
export function followZenKeys(): () => void {
  let last = -Infinity
  const onKey = (event: KeyboardEvent): void => {
    const counts =
      event.key === 'Escape' &&
      !event.defaultPrevented &&
      !event.repeat &&
      useLayout.getState().zen !== null &&
      !document.querySelector('dialog:modal')
    if (counts && event.timeStamp - last < doublePressMs) toggleZenMode()
    last = counts ? event.timeStamp : -Infinity
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
