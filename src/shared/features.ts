/**
 * Features that help small models, all on by default. Not a user setting: the "small model" benchmark and tests turn off one
 * at a time to measure its effect.
 */
export interface Features {
  /** Parse tool calls that the model writes as text (model/textCalls). */
  textCalls: boolean
  /** Describe the tools in the prompt for a model without a `tools` parameter. */
  textPrompt: boolean
  /** Repair malformed arguments if the repair is unambiguous. */
  repair: boolean
  /** Convert arguments to the types of the schema. */
  coerce: boolean
  /** Detect repeated calls and end the turn. */
  guards: boolean
  /** Prompt the model once more after an empty answer or an announced call that is missing. */
  nudge: boolean
  /** Include syntax errors that an edit introduced in its result. */
  diagnostics: boolean
  /** Keep the conversation within the context window. */
  budget: boolean
  /** Detect prompts that the server truncated silently. */
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
