import { create } from 'zustand'
import { raceTimeout } from '../../../shared/async/raceTimeout.ts'

export interface Position {
  line: number
  column: number
}

/** A range with 1-based lines and columns. The end is exclusive. */
export interface TextRange {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

/** A visible editor of a file. MonacoView.tsx implements it, and so does each editor of `fileEditors.tsx`. */
export interface EditorView {
  path(): string | null
  cursor(): Position
  selection(): TextRange & { text: string }
  /** Whether text is selected. Unlike `selection`, does not copy the text. */
  hasSelection(): boolean
  /** Moves the cursor to the nearest valid position and reveals it. @returns the new position */
  goTo(position: Position): Position
  /** Selects a range and reveals it. */
  select(range: TextRange): void
  /**
   * Replaces a range as one undo step and moves the cursor after the new text.
   * @returns the range of the new text, and the replaced text
   */
  replace(range: TextRange, text: string): TextRange & { replaced: string }
  /** The text of a line; '' if the line does not exist. */
  lineText(line: number): string
  focus(): void
  /** Runs a built-in action of Monaco, for example `actions.find`. */
  runAction(id: string): void
  /** Built-in actions of Monaco that can run now, with their shortcuts. */
  actions(): { id: string; label: string; keys?: string }[]
}

/** Views by group. Of several, that which shows a file counts. */
const views = new Map<number, readonly EditorView[]>()
const waiting = new Set<() => void>()

/** Registers the view of a group while it is visible. @returns a function that unregisters it */
export function registerView(groupId: number, view: EditorView): () => void {
  views.set(groupId, [...(views.get(groupId) ?? []), view])
  viewChanged()
  return () => {
    views.set(
      groupId,
      (views.get(groupId) ?? []).filter((other) => other !== view),
    )
  }
}

/** Resolves pending `waitForView` calls. Views call it after showing another file. */
export function viewChanged(): void {
  for (const check of waiting) check()
}

export function viewOf(groupId: number): EditorView | null {
  const all = views.get(groupId) ?? []
  return all.find((view) => view.path() !== null) ?? all[0] ?? null
}

/**
 * Waits until a group's view shows a file.
 * @returns the view; null after 10 seconds, for example because the tab was closed
 */
export function waitForView(groupId: number, path: string): Promise<EditorView | null> {
  const { promise, resolve } = Promise.withResolvers<EditorView>()
  const check = () => {
    const view = viewOf(groupId)
    if (view?.path() === path) resolve(view)
  }
  waiting.add(check)
  check()
  return raceTimeout(promise, 10_000, null).finally(() => waiting.delete(check))
}

interface EditorStatus {
  cursor: Position | null
  /** Size of the selection; null if it is empty. */
  selected: { characters: number; lines: number } | null
  /** Display name of the language. */
  language: string | null
}

/** State of the focused editor, for the status bar. */
export const useEditorStatus = create<EditorStatus>(() => ({
  cursor: null,
  selected: null,
  language: null,
}))
