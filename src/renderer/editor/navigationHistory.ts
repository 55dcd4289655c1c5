import { create } from 'zustand'
import type { Position } from '../platform/editor/editorViews.ts'

/** A place in the navigation history. */
export interface HistoryEntry extends Position {
  path: string
}

interface NavigationHistory {
  /** Places in the order of the visits. */
  entries: readonly HistoryEntry[]
  /** Index of the current place; -1 if there is none. */
  index: number
}

const maxEntries = 100
/** Moves of fewer lines update the current place. Same number as in VS Code. */
const nearLines = 10

export const emptyHistory: NavigationHistory = { entries: [], index: -1 }

/** The navigation history for back and forward. */
export const useNavigationHistory = create<NavigationHistory>(() => emptyHistory)

/** Pure: records a visit and removes the places after the current one. */
export function withVisit({ entries: stops, index: at }: NavigationHistory, stop: HistoryEntry): NavigationHistory {
  const here = stops[at]
  if (here?.path === stop.path && Math.abs(here.line - stop.line) < nearLines)
    return { entries: stops.with(at, stop), index: at }
  const kept = [...stops.slice(0, at + 1), stop].slice(-maxEntries)
  return { entries: kept, index: kept.length - 1 }
}

let pauseCount = 0

/** Records the cursor position, unless `onJourney` is running. */
export function recordVisit(stop: HistoryEntry): void {
  if (pauseCount === 0) useNavigationHistory.setState((travel) => withVisit(travel, stop))
}

/** Runs an action without recording the cursor positions on its way. */
export async function withoutRecording<T>(move: () => Promise<T>): Promise<T> {
  pauseCount++
  try {
    return await move()
  } finally {
    pauseCount--
  }
}

/** Goes one place back (-1) or forward (1). @param open shows a place */
export async function navigateHistory(step: 1 | -1, open: (stop: HistoryEntry) => Promise<void>): Promise<void> {
  const { entries: stops, index: at } = useNavigationHistory.getState()
  const stop = stops[at + step]
  if (!stop) return
  useNavigationHistory.setState({ index: at + step })
  await withoutRecording(() => open(stop))
}

export function clearNavigationHistory(): void {
  useNavigationHistory.setState(emptyHistory, true)
}
