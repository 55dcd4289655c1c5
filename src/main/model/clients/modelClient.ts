import type { ModelInfo } from '../../../shared/settings.ts'
import type { Usage } from '../../../shared/conversation.ts'
import type { JsonSchema } from '../../../shared/tool.ts'
import type { ContextExcess } from '../transport/contextExcess.ts'

/** A message as every chat server understands it. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ModelImage[] }
  /** `reasoning`: what it thought before these calls, for models that want it back (reasoningReplay.ts). */
  | { role: 'assistant'; content: string; reasoning?: string; toolCalls?: ModelCall[] }
  | { role: 'tool'; callId: string; name: string; content: string }

/** A picture in a message. */
export interface ModelImage {
  id: string
  /** As the user knows it. */
  label: string
  mimeType: string
  /** Its bytes in base64. Read for each request (agent/messageImages.ts); absent before. */
  data?: string
}

export interface ModelCall {
  id: string
  name: string
  /** JSON text exactly as the model wrote it; may be malformed. */
  arguments: string
}

export interface ChatTool {
  name: string
  description: string
  parameters: JsonSchema
}

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  tools: ChatTool[]
  temperature: number
  /** Tokens; Ollama is told, others are only checked against it. */
  contextWindow?: number
  signal: AbortSignal
}

/** One turn of a model as it arrives. A `call` is complete when it is yielded. */
export type ModelEvent =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** A call has begun: its card can show while the arguments still stream. */
  | { kind: 'callStarted'; id: string; name: string }
  | { kind: 'call'; call: ModelCall }
  /** e.g. "Loading model…", "Retrying in 2 s" */
  | { kind: 'status'; note: string }
  /** The server read less than was sent, and did not say so: what happened, and what helps. */
  | { kind: 'promptCut'; text: string }
  /** The model takes no tools natively: its prompt tells of them. What that means, and what helps. */
  | { kind: 'toolsAsText'; text: string }
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

/** An endpoint failed. `message` says what and why, `remedy` what the user can do. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly code: ModelErrorCode
  readonly hint: string
  /** Of `context_exceeded`: the numbers that the server names. */
  readonly excess: ContextExcess | undefined

  constructor(
    code: ModelErrorCode,
    message: string,
    remedy: string,
    options?: { cause?: unknown; excess?: ContextExcess },
  ) {
    super(message, options)
    this.code = code
    this.hint = remedy
    this.excess = options?.excess
  }
}

/** One configured endpoint. */
export interface ModelClient {
  /** @throws ModelError. Ends with `finish`; aborting closes the socket and throws an AbortError. */
  stream(request: ChatRequest): AsyncIterable<ModelEvent>
  /** @throws ModelError */
  models(signal: AbortSignal): Promise<ModelInfo[]>
}
