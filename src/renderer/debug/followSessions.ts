import { followDebugOutput } from './console/debugConsoleStore.ts'
import { followFrame } from './values/frameValues.ts'
import { followStops } from './views/callStack.ts'

export { reportStartFailure } from './console/debugConsoleStore.ts'

/** Collects what the Run view and the debug console show of sessions. @returns a function that stops it */
export function followSessions(): () => void {
  const stops = [followFrame(), followStops(), followDebugOutput()]
  return () => stops.forEach((stop) => stop())
}
