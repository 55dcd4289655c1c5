/**
 * Features that help small models, all on by default. Users cannot change them. Tests and the small-model benchmark
 * turn them off one at a time to measure the effect of each.
 */
export interface Features {
  /** Parse tool calls that the model writes as text (model/textCalls). */
  textCalls: boolean
  /** Describe the tools in the prompt if the server does not support a `tools` parameter. */
  textPrompt: boolean
  /** Repair malformed arguments if the repair is unambiguous. */
  repair: boolean
  /** Convert arguments to the types of the schema. */
  coerce: boolean
  /** Detect repeated calls and end the turn. */
  guards: boolean
  /** Prompt the model again after an empty answer, or if it announced a call but made none. */
  nudge: boolean
  /** Report syntax errors that an edit introduced in the result of the edit. */
  diagnostics: boolean
  /** Report errors of language servers that an edit introduced in the result of the edit. */
  languageServers: boolean
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
  languageServers: true,
  budget: true,
  cutDetection: true,
}
