import type { Position } from '../platform/editor/editorViews.ts'

/** Last cursor position of each file. Stored with the layout. */
const cursors = new Map<string, Position>()

export function rememberCursor(path: string, position: Position): void {
  cursors.set(path, position)
}

export function cursorOf(path: string): Position | null {
  return cursors.get(path) ?? null
}

export function forgetCursors(): void {
  cursors.clear()
}
