import type { ContextOverflow, ModelErrorCode, TokenLikelihood } from '../modelClient.ts'

// Messages between modelFileConnection.ts and modelFileProcess.ts.

/** Passed to the process as JSON in its first argument. */
export interface ModelFileOptions {
  file: string
  /** Context size in tokens. */
  contextSize: number
  /** Whether llama.cpp may use a graphics card. */
  gpu: boolean
  /** An empty file in which the process keeps the prompt of a conversation. */
  stateFile?: string
  /** Memory limit in bytes that replaces the free memory. For tests. */
  freeMemory?: number
}

/** A message in a chat template. Calls and results are part of the text. */
export interface TemplateMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

export interface ModelFileChat {
  /** Whether this is a side request. The prompt of the conversation is then kept. */
  isAside: boolean
  messages: readonly TemplateMessage[]
  /** Grammars (GBNF) for the text after `<tool_call>`. The first one that llama.cpp accepts applies. */
  grammars: readonly string[]
  /** Grammars for the whole answer, instead of those for calls. The first one that llama.cpp accepts applies. */
  answerGrammars: readonly string[]
  /** Number of likely first tokens to report, instead of an answer. The last message is the beginning of the answer. */
  topTokens?: number
  /** Whether to make repetition unlikely. */
  againstRepetition: boolean
  temperature: number
  topP?: number
  topK?: number
  minP?: number
  presencePenalty?: number
  repeatPenalty?: number
  maxTokens?: number
  /** Variables of the template, such as `enable_thinking`. */
  templateVariables?: Record<string, unknown>
}

export interface ModelFileUsage {
  promptTokens: number
  /** Number of tokens at the start of the prompt that were already in the context. */
  cachedTokens: number
  completionTokens: number
  /** Milliseconds until the first token. */
  promptMs: number
  /** Milliseconds from the first to the last token. */
  generationMs: number
  finish: 'stop' | 'length'
}

/** A request to the process. `cancel` is confirmed at once; the cancelled request ends later. */
export type ModelFileRequest =
  | { id: number; method: 'chat'; chat: ModelFileChat }
  | { id: number; method: 'count'; text: string }
  | { id: number; method: 'embed'; texts: readonly string[] }
  | { id: number; method: 'cancel' }

export interface ModelFileFailure {
  code: ModelErrorCode
  message: string
  hint: string
  /** Why the chat template rejected the messages. Another format may work. */
  templateProblem?: string
  excess?: ContextOverflow
}

export type ModelFileMessage =
  /** The model is in memory. */
  | { loaded: true }
  | { id: number; status: string }
  | { id: number; text: string }
  | { id: number; likelihoods: TokenLikelihood[] }
  | { id: number; usage: ModelFileUsage }
  | { id: number; count: number }
  | { id: number; vectors: number[][] }
  | { id: number; failure: ModelFileFailure }
  /** The process has received `cancel` for this request. */
  | { id: number; cancelled: true }

/** Shown if the optional package is not installed. */
export const missingPackage = {
  message: 'Model files need the optional package node-llama-cpp, which is not installed.',
  hint: "Run `npm install --include=optional` in Tizona's folder, or use a model server.",
} as const
