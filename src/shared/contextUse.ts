import type { PromptProfile } from './promptProfile.ts'

/** What fills a model's window in one request. Tokens. */
export interface ContextUse {
  window: number
  /** Neither the server nor the user told the window's size. */
  assumed: boolean
  profile: PromptProfile
  /** Our instructions and the user's. */
  system: number
  tools: number
  /** What was read of files, and attached. */
  files: number
  /** Everything else that was said, called and answered. */
  conversation: number
  /** Kept free for the answer. */
  answer: number
  /** From here on the conversation is shortened and summarised. */
  compactAt: number
  /** The server counted with its own tokenizer; else an estimate, corrected by what it reported before. */
  exact: boolean
  /** This request does not begin as the one before it, and why. */
  rewritten?: 'shortened' | 'summarised'
}

/** What a request sends. Tokens. */
export function usedTokens({ system, tools, files, conversation }: ContextUse): number {
  return system + tools + files + conversation
}
