import type { ModelInfo, ReasoningReplay } from '../../shared/settings/settings.ts'
import type { Usage } from '../../shared/agent/conversation.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'

/** A chat message. The clients convert it to the format of their API. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ModelImage[] }
  /** `reasoning`: the reasoning before these calls, for models that need it (reasoningReplay.ts). */
  | { role: 'assistant'; content: string; reasoning?: string; toolCalls?: ModelCall[] }
  | { role: 'tool'; callId: string; name: string; content: string }

/** An image in a message. */
export interface ModelImage {
  id: string
  /** The name shown to the user. */
  label: string
  mimeType: string
  /** Base64 data. Loaded for each request (agent/conversation/messageImages.ts); part of the result of a tool. */
  data?: string
}

export interface ModelCall {
  id: string
  name: string
  /** JSON exactly as the model wrote it, possibly malformed. */
  arguments: string
}

export interface ChatTool {
  name: string
  description: string
  parameters: JsonSchema
  /** Returns the parameters with the bounds that only a grammar uses. Prompts leave them out to save tokens. */
  bounded?(): JsonSchema
}

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  tools: ChatTool[]
  temperature: number
  /** Whether the temperature was chosen for this request, so that it wins over the user's option for the model. */
  ownTemperature?: boolean
  /** Context size in tokens. Sent only to Ollama, which reloads the model if it differs from the last request. */
  contextWindow?: number
  /** The conversation that the request belongs to, also one beside it such as a sub-agent's. */
  conversation?: string
  /**
   * `person`: a person waits for this answer and starts before all others. `background`: nobody waits for it. Default:
   * in between (slots/requestQueue.ts).
   */
  urgency?: 'person' | 'background'
  /** Whether this is a side request, which reveals nothing about the prompts of conversations. */
  isAside?: boolean
  /** Schema of the answer, for servers that can enforce one. The answer may still not match. */
  answerSchema?: JsonSchema
  /**
   * Number of likely tokens to report as `likelihoods` if the server can: for the first token, or before the text of
   * each token.
   */
  topTokens?: number
  /** Maximum length of the answer in tokens. Overrides the user's option. */
  maxTokens?: number
  /** `off`: the model should not think, whatever the user's option is. Some models think anyway. */
  thinking?: 'off'
  /** Whether to use the server's options against repetition. */
  againstRepetition?: boolean
  signal: AbortSignal
}

/** The part of a request that determines its prompt. */
export type PromptRequest = Pick<ChatRequest, 'model' | 'messages' | 'tools'>

/** A token that could come next, with the natural logarithm of its likelihood. */
export interface TokenLikelihood {
  token: string
  logprob: number
}

/** An event of a streamed answer. A `call` is complete. */
export type ModelEvent =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** All text so far was reasoning: its opening tag is in the prompt, and its closing tag has just arrived. */
  | { kind: 'wasReasoning' }
  /** A call has begun. Its card appears while the arguments are streamed. */
  | { kind: 'callStarted'; id: string; name: string }
  /** `writtenAs`: the dialect (textCalls/dialects.ts), if the model wrote the call as text. */
  | { kind: 'call'; call: ModelCall; writtenAs?: string }
  /** e.g. "Loading model…", "Retrying in 2 s". `isAway`: the server takes no requests, so others need not wait for this one. */
  | { kind: 'status'; note: string; isAway?: true }
  /**
   * The server truncated the prompt silently. The text explains it and how to avoid it. `window`: the context size that this
   * shows, in tokens, if it was not known.
   */
  | { kind: 'promptCut'; text: string; window?: number }
  /**
   * The prompt describes the tools. The text explains why and the consequences. `unsupported`: the server reports that
   * the model has no native tool calls. `dropped`: the server leaves tools out of the prompt. `hint`: how to change that.
   */
  | {
      kind: 'toolsAsText'
      text: string
      hint?: string
      why: 'unsupported' | 'dropped' | 'grammar' | 'unreadable' | 'guided'
    }
  /** The text of the answer is a list of steps, which the user can change before they run. */
  | { kind: 'stepList' }
  /** The tokens that could begin the answer, for a request with `topTokens`. */
  | { kind: 'likelihoods'; tokens: readonly TokenLikelihood[] }
  /** Discards all events of the answer so far. Another answer to the same request follows. */
  | { kind: 'discarded' }
  | { kind: 'usage'; usage: Usage }
  | { kind: 'finish'; reason: 'stop' | 'tool_calls' | 'length' | 'unknown' }

export type ModelErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'loading'
  | 'no_model'
  | 'no_tools'
  | 'unauthorised'
  | 'context_exceeded'
  | 'bad_request'
  | 'server_error'
  | 'cut_off'
  | 'bad_response'

/**
 * Token counts from a server's error about a prompt that exceeds the context. Counts that the error omits are
 * undefined.
 */
export interface ContextOverflow {
  /** Context size of the model. */
  window?: number
  /** Size of the rejected prompt. */
  prompt?: number
}

/** A failed request. `message` states what failed and why, `hint` what the user can do. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly code: ModelErrorCode
  readonly hint: string
  /** For `context_exceeded`: the token counts that the server reports. */
  readonly excess: ContextOverflow | undefined

  constructor(
    code: ModelErrorCode,
    message: string,
    hint: string,
    options?: { cause?: unknown; excess?: ContextOverflow },
  ) {
    super(message, options)
    this.code = code
    this.hint = hint
    this.excess = options?.excess
  }
}

/** A client for one endpoint. */
export interface ModelClient {
  /** Ends with `finish`. Aborting closes the socket and throws an AbortError. @throws ModelError */
  stream(request: ChatRequest): AsyncIterable<ModelEvent>
  /**
   * Returns the fields of a request that determine its prompt, as `stream` sends them, so that the server can count its
   * tokens. Absent: servers with this API cannot count requests.
   */
  promptFields?(request: PromptRequest): Record<string, unknown>
  /** Returns the reasoning to send back to a model. Absent: decided by the model's name. */
  reasoningReplay?(model: string): ReasoningReplay
  /** @throws ModelError */
  models(signal: AbortSignal): Promise<ModelInfo[]>
}
