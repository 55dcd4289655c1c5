import { create } from 'zustand'
import type { Position } from '../platform/editor/editorViews.ts'

/** A place in the navigation history. */
export interface Stop extends Position {
  path: string
}

interface Travel {
  /** Places in the order of the visits. */
  stops: readonly Stop[]
  /** Index of the current place; -1 if there is none. */
  at: number
}

const mostStops = 100
/** Moves of fewer lines update the current place. Same number as in VS Code. */
const nearLines = 10

export const noTravel: Travel = { stops: [], at: -1 }

/** The navigation history for back and forward. */
export const useTravel = create<Travel>(() => noTravel)

/** Pure: records a visit and removes the places after the current one. */
export function visited({ stops, at }: Travel, stop: Stop): Travel {
  const here = stops[at]
  if (here?.path === stop.path && Math.abs(here.line - stop.line) < nearLines)
    return { stops: stops.with(at, stop), at }
  const kept = [...stops.slice(0, at + 1), stop].slice(-mostStops)
  return { stops: kept, at: kept.length - 1 }
}

let journeys = 0

/** Records the cursor position, unless `onJourney` is running. */
export function visit(stop: Stop): void {
  if (journeys === 0) useTravel.setState((travel) => visited(travel, stop))
}

/** Runs an action without recording the cursor positions on its way. */
export async function onJourney<T>(move: () => Promise<T>): Promise<T> {
  journeys++
  try {
    return await move()
  } finally {
    journeys--
  }
}

/** Goes one place back (-1) or forward (1). @param open shows a place */
export async function travel(step: 1 | -1, open: (stop: Stop) => Promise<void>): Promise<void> {
  const { stops, at } = useTravel.getState()
  const stop = stops[at + step]
  if (!stop) return
  useTravel.setState({ at: at + step })
  await onJourney(() => open(stop))
}

export function forgetTravel(): void {
  useTravel.setState(noTravel, true)
}
