/**
 * Features that help small models, all on by default. Not user settings: tests and the small-model benchmark turn
 * them off one at a time to measure their effect.
 */
export interface Features {
  /** Parse tool calls that the model writes as text (model/textCalls). */
  textCalls: boolean
  /** Describe the tools in the prompt if the server does not support the `tools` parameter. */
  textPrompt: boolean
  /** Repair malformed arguments if the repair is unambiguous. */
  repair: boolean
  /** Convert arguments to the types of the schema. */
  coerce: boolean
  /** Detect repeated calls and end the turn. */
  guards: boolean
  /** Prompt the model again after an empty answer, or after it announced a tool call but made none. */
  nudge: boolean
  /** Name `debug_run` after the second failure of a test. */
  debugHint: boolean
  /** Add syntax errors introduced by an edit to its result. */
  diagnostics: boolean
  /** Add language server errors introduced by an edit to its result. */
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
  debugHint: true,
  diagnostics: true,
  languageServers: true,
  budget: true,
  cutDetection: true,
}
