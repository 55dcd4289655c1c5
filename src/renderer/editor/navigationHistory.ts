import { create } from 'zustand'
import type { Position } from '../platform/editor/editorViews.ts'

/** A place where the cursor was. */
export interface Stop extends Position {
  path: string
}

interface Travel {
  /** In the order they were visited. */
  stops: readonly Stop[]
  /** The stop where the user is; -1 before the first. */
  at: number
}

const mostStops = 100
/** Moves of fewer lines are no journey: the stop moves along. VS Code's number. */
const nearLines = 10

export const noTravel: Travel = { stops: [], at: -1 }

/** Where the user was, for going back and forward. */
export const useTravel = create<Travel>(() => noTravel)

/** Pure: the user is here now. What lay ahead is forgotten once another way is taken. */
export function visited({ stops, at }: Travel, stop: Stop): Travel {
  const here = stops[at]
  if (here?.path === stop.path && Math.abs(here.line - stop.line) < nearLines)
    return { stops: stops.with(at, stop), at }
  const kept = [...stops.slice(0, at + 1), stop].slice(-mostStops)
  return { stops: kept, at: kept.length - 1 }
}

let journeys = 0

/** The cursor is here. On a journey only its end counts. */
export function visit(stop: Stop): void {
  if (journeys === 0) useTravel.setState((travel) => visited(travel, stop))
}

/** Runs something that moves the cursor over places that are not worth a stop, e.g. where a file was left earlier. */
export async function onJourney<T>(move: () => Promise<T>): Promise<T> {
  journeys++
  try {
    return await move()
  } finally {
    journeys--
  }
}

/**
 * Goes one stop back (-1) or forward (1).
 * @param open shows a place
 */
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
