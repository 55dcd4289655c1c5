/**
 * What Tizona does to make small models succeed, each on by default. No user setting: the benchmark "small model" and tests switch
 * one off at a time, to show that it is needed.
 */
export interface Features {
  /** Calls written as text are found (model/textCalls). */
  textCalls: boolean
  /** A model without a `tools` parameter is told of the tools in its prompt. */
  textPrompt: boolean
  /** Malformed arguments are repaired where there is no doubt. */
  repair: boolean
  /** Arguments of another type are turned into what the schema wants. */
  coerce: boolean
  /** Repeated calls are noticed, and end a turn. */
  guards: boolean
  /** An empty answer, and a promise of a call that does not come, are answered once. */
  nudge: boolean
  /** Errors that an edit brought are told in its result. */
  diagnostics: boolean
  /** The conversation is kept within the window. */
  budget: boolean
  /** A prompt that the server cut silently is noticed. */
  cutDetection: boolean
}

export const allFeatures: Features = {
  textCalls: true,
  textPrompt: true,
  repair: true,
  coerce: true,
  guards: true,
  nudge: true,
  diagnostics: true,
  budget: true,
  cutDetection: true,
}
