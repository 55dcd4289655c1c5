import { create } from 'zustand'
import type { Position } from '../platform/editor/editorViews.ts'

export interface HistoryEntry extends Position {
  path: string
  /** Id of a library file outside the folder, whose path is absolute. */
  library?: string
}

interface NavigationHistory {
  /** Oldest first. */
  entries: readonly HistoryEntry[]
  /** Index of the current entry; -1 if there is none. */
  index: number
}

const maxEntries = 100
/** Cursor moves by fewer lines update the current entry instead of adding one. Same number as in VS Code. */
const nearLines = 10

export const emptyHistory: NavigationHistory = { entries: [], index: -1 }

/** Navigation history for the commands Back and Forward. */
export const useNavigationHistory = create<NavigationHistory>(() => emptyHistory)

/** Pure: adds a visit after the current entry and removes the entries that Forward would have reached. */
export function withVisit({ entries, index }: NavigationHistory, visit: HistoryEntry): NavigationHistory {
  const current = entries[index]
  if (current?.path === visit.path && Math.abs(current.line - visit.line) < nearLines)
    return { entries: entries.with(index, visit), index }
  const next = [...entries.slice(0, index + 1), visit].slice(-maxEntries)
  return { entries: next, index: next.length - 1 }
}

/** Number of running `withoutRecording` calls. */
let pauseCount = 0

/** Adds a cursor position to the history, unless `withoutRecording` is running. */
export function recordVisit(visit: HistoryEntry): void {
  if (pauseCount === 0) useNavigationHistory.setState((history) => withVisit(history, visit))
}

/** Runs an action without recording the cursor positions that it visits. */
export async function withoutRecording<T>(action: () => Promise<T>): Promise<T> {
  pauseCount++
  try {
    return await action()
  } finally {
    pauseCount--
  }
}

/** Goes back (-1) or forward (1) one entry, if there is one. @param open shows an entry */
export async function navigateHistory(step: 1 | -1, open: (entry: HistoryEntry) => Promise<void>): Promise<void> {
  const { entries, index } = useNavigationHistory.getState()
  const entry = entries[index + step]
  if (!entry) return
  useNavigationHistory.setState({ index: index + step })
  await withoutRecording(() => open(entry))
}

/** Gives the visited files new paths. @param moved returns null for a file that the window no longer contains */
export function moveNavigationHistory(moved: (path: string) => string | null): void {
  const { entries, index } = useNavigationHistory.getState()
  const kept = entries.map((entry) => {
    const path = entry.library === undefined ? moved(entry.path) : entry.path
    return path === null ? null : { ...entry, path }
  })
  const isKept = (entry: HistoryEntry | null) => entry !== null
  useNavigationHistory.setState({
    entries: kept.filter(isKept),
    index: kept.slice(0, index + 1).filter(isKept).length - 1,
  })
}

export function clearNavigationHistory(): void {
  useNavigationHistory.setState(emptyHistory, true)
}
