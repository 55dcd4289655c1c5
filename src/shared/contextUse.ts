import type { PromptProfile } from './promptProfile.ts'

/** How a request uses the model's context window. All sizes in tokens. */
export interface ContextUse {
  window: number
  /** Neither the server nor the user specified the size of the window. */
  assumed: boolean
  profile: PromptProfile
  /** System prompt: Tizona's instructions and the user's. */
  system: number
  tools: number
  /** File contents that were read or attached. */
  files: number
  /** All other messages, calls and results. */
  conversation: number
  /** Reserved for the answer. */
  answer: number
  /** Threshold from which results are truncated and the conversation is summarised. */
  compactAt: number
  /** Counted with the server's tokenizer. Otherwise an estimate, corrected by previously reported usage. */
  exact: boolean
  /** Why this request does not share the prefix of the previous one. */
  rewritten?: 'shortened' | 'summarised'
}

/** Tokens that a request sends. */
export function usedTokens({ system, tools, files, conversation }: ContextUse): number {
  return system + tools + files + conversation
}
