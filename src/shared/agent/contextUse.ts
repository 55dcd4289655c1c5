import type { PromptProfile } from './promptProfile.ts'

/** How a request uses the model's context window. All sizes in tokens. */
export interface ContextUse {
  window: number
  /** Whether `window` is a default, because neither the server nor the user specified it. */
  assumed: boolean
  profile: PromptProfile
  /** System prompt with the instructions of Tizona, the user and the workspace. */
  system: number
  tools: number
  /** File contents that were read or attached. */
  files: number
  /** All other messages, calls and results. */
  conversation: number
  /** Reserved for the answer. */
  answer: number
  /** Threshold above which old results are truncated and the conversation is summarized. */
  compactAt: number
  /**
   * Whether the server's tokenizer counted the tokens. Otherwise they are estimated from the usage it reported earlier.
   */
  exact: boolean
  /** Why this request does not start like the previous one, so that the server cannot reuse its cache. */
  rewritten?: 'shortened' | 'summarised'
}

/** Returns the number of tokens that a request sends. */
export function usedTokens({ system, tools, files, conversation }: ContextUse): number {
  return system + tools + files + conversation
}
