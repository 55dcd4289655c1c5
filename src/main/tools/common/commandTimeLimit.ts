import { capValue } from './searchReport.ts'

/** Maximum time limit that a model can request for a command, in seconds. */
export const maxCommandSeconds = 600
/** Default in most toolsets, in seconds. */
export const defaultCommandSeconds = 120

/** Time limit of a command, and how to raise it. */
export interface TimeLimit {
  /** Name of the parameter. */
  name: string
  seconds: number
  /** Notice that a larger value was lowered; otherwise empty. */
  note: string
}

/** Limits a requested time to the maximum. */
export function timeLimit(name: string, requested: number): TimeLimit {
  const { value: seconds, note } = capValue(name, requested, maxCommandSeconds)
  return { name, seconds, note: note === '' ? '' : `${note}\n` }
}
