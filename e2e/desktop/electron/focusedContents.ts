interface Focusable {
  emit(event: 'focus' | 'blur', details: object): boolean
}

let focused: Focusable | null = null
/** Those of windows are the ids of the windows. */
let lastId = 1000

export const nextContentsId = (): number => ++lastId
export const isFocusedContents = (contents: Focusable): boolean => focused === contents

/** Moves the keyboard focus within the application. */
export function focusContents(contents: Focusable): void {
  if (focused === contents) return
  const before = focused
  focused = contents
  before?.emit('blur', {})
  contents.emit('focus', {})
}

/** Takes the focus from contents that are destroyed. */
export function leaveFocus(contents: Focusable): void {
  if (focused === contents) focused = null
}
