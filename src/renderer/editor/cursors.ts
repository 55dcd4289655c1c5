import type { Position } from '../platform/editor/editorViews.ts'

/** Last cursor position of each file. Stored with the layout. */
const cursors = new Map<string, Position>()

export function rememberCursor(path: string, position: Position): void {
  cursors.set(path, position)
}

export function cursorOf(path: string): Position | null {
  return cursors.get(path) ?? null
}

/** Gives the files new paths. @param moved returns null for a file that the window no longer contains */
export function moveCursors(moved: (path: string) => string | null): void {
  const before = [...cursors]
  cursors.clear()
  for (const [path, position] of before) {
    const to = moved(path)
    if (to !== null) cursors.set(to, position)
  }
}

export function forgetCursors(): void {
  cursors.clear()
}
