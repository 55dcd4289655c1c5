import { create } from 'zustand'

export interface Position {
  line: number
  column: number
}

/** 1-based; the end is after the last character. */
export interface TextRange {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

/** A text editor on the screen, as the rest of the window needs it. Monaco's in the window (MonacoView.tsx). */
export interface EditorView {
  /** The file it shows now. */
  path(): string | null
  cursor(): Position
  selection(): TextRange & { text: string }
  /** Puts the cursor there, as near as the text allows, and scrolls to it. @returns where it is */
  goTo(position: Position): Position
  /** Selects a range and scrolls to it. */
  select(range: TextRange): void
  /** Replaces a range as one undo step; the cursor goes behind the new text. @returns the range of the new text and what stood there */
  replace(range: TextRange, text: string): TextRange & { replaced: string }
  /** A line's text, '' where there is none. */
  lineText(line: number): string
  focus(): void
  /** Runs one of Monaco's own actions, e.g. `actions.find`. */
  runAction(id: string): void
  /** Monaco's own actions that can run now, with their keys as Monaco writes them. */
  actions(): { id: string; label: string; keys?: string }[]
}

const views = new Map<number, EditorView>()
const waiting = new Set<() => void>()

/** The view of a group, as long as it is on the screen. @returns unregister */
export function registerView(groupId: number, view: EditorView): () => void {
  views.set(groupId, view)
  announceView()
  return () => {
    if (views.get(groupId) === view) views.delete(groupId)
  }
}

/** Called by a view when it shows another file. */
export function announceView(): void {
  for (const check of waiting) check()
}

export function viewOf(groupId: number): EditorView | null {
  return views.get(groupId) ?? null
}

/**
 * The view of a group once it shows the file. Null when it does not within `timeoutMs` (the tab was closed or another one
 * chosen meanwhile).
 */
export function viewShowing(groupId: number, path: string, timeoutMs = 10_000): Promise<EditorView | null> {
  return new Promise((resolve) => {
    const finish = (view: EditorView | null) => {
      clearTimeout(timer)
      waiting.delete(check)
      resolve(view)
    }
    const check = () => {
      const view = views.get(groupId)
      if (view?.path() === path) finish(view)
    }
    const timer = setTimeout(() => finish(null), timeoutMs)
    waiting.add(check)
    check()
  })
}

interface EditorStatus {
  cursor: Position | null
  /** Characters and lines selected, for the status bar. */
  selected: { characters: number; lines: number } | null
  /** Monaco's name of the language. */
  language: string | null
  errors: number
  warnings: number
}

/** What the status bar shows about the focused editor. */
export const useEditorStatus = create<EditorStatus>(() => ({
  cursor: null,
  selected: null,
  language: null,
  errors: 0,
  warnings: 0,
}))
