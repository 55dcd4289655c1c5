import type { ChatMessage } from '../modelClient.ts'
import { cancelledResult } from '../clients/validHistory.ts'
import { unframeResult } from '../../base/resultFrame.ts'

/**
 * A script for the scripted endpoint. The conversation in a request selects the answer: the last user message selects
 * the turn, and the number of assistant messages after it the step. The endpoint keeps no state, so reloads, retries
 * and parallel conversations work.
 */
export interface Scenario {
  /** Name in error messages and on the command line of e2e/scenarios/serve.ts. */
  name: string
  /** Listed by /v1/models; requests may name any. Default `scripted`. */
  model?: string
  /** Tokens, reported by /v1/models. */
  contextWindow?: number
  /** Milliseconds between two chunks of an answer. Default 0. */
  pace?: number
  turns: ScenarioTurn[]
  /** Answers every request instead of `turns`. */
  respond?(request: ScriptedChatRequest): Reply
  /** Completes code. Default: the server has no such API. */
  completion?: ScriptedCompletion
  /** Computes embeddings. Default: the server has no such API. */
  embeddings?: ScriptedEmbeddings
  /** Answers a user message that matches no turn. Default: lists the expected messages. */
  unexpected?(prompt: string): Reply
}

/** How a scripted server computes embeddings at /v1/embeddings. */
export interface ScriptedEmbeddings {
  /** Listed by /v1/models. */
  model: string
  /** Returns a vector per text, or a plain HTTP response. */
  respond(texts: readonly string[]): number[][] | HttpReply
}

/** How a scripted server completes code. Real servers differ in the same ways. */
export interface ScriptedCompletion {
  /** `llamacpp`: /props and /infill. `ollama`: /api/show and /api/generate. `openai`: only /v1/completions. */
  server: 'llamacpp' | 'ollama' | 'openai'
  /** llama.cpp: whether the model has tokens for filling in the middle. Without, /infill answers 501. */
  infill?: boolean
  /** llama.cpp: number of slots. Default 1. */
  slots?: number
  /** llama.cpp: whether the chat template has tools, which are dropped otherwise. Default: not reported. */
  tools?: boolean
  /** Ollama: whether the model's template has `.Suffix`. */
  suffixTemplate?: boolean
  /** /v1/completions: what happens to `suffix`. Default: refused, as by vLLM. */
  suffix?: 'used' | 'ignored' | 'refused'
  respond(request: ScriptedCompletionRequest): string | ReplyPart[] | HttpReply
}

/** A request for a completion. A raw prompt is in `before`. */
export interface ScriptedCompletionRequest {
  path: string
  before: string
  after: string
  body: Record<string, unknown>
}

/** A chat request, as `Scenario.respond` receives it. */
export interface ScriptedChatRequest {
  messages: readonly ChatMessage[]
  /** Names of the offered tools. */
  tools: readonly string[]
  /** The raw request body. */
  body: Record<string, unknown>
}

export interface ScenarioTurn {
  /** Matches the user messages that start the turn. */
  prompt: RegExp
  steps: ScenarioStep[]
}

export interface ScenarioStep {
  /** Used in error messages. */
  title: string
  /** Checks the tool results so far, and answers. @throws ScenarioMismatch */
  play(seen: StepInput): Reply
}

/** A streamed answer, or a plain HTTP response. */
export type Reply = StreamReply | HttpReply
export interface StreamReply {
  parts: ReplyPart[]
  /** Bytes per write. 1 splits events and characters at every byte. Default: one event per write. */
  bytesPerWrite?: number
  /** Milliseconds between two chunks. Overrides the scenario's. */
  pace?: number
  /** Default: counts derived from the answer. `null` omits usage. */
  usage?: { promptTokens: number; completionTokens: number } | null
  /** `null` omits the finish reason. */
  finish?: 'stop' | 'tool_calls' | 'length' | null
}
export interface HttpReply {
  status: number
  headers?: Record<string, string>
  body: string
}

export type ReplyPart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string; field: 'reasoning_content' | 'reasoning' | 'thinking' }
  /** `arguments`: an object, or raw text (for example malformed JSON). Consecutive calls are streamed interleaved. */
  | { kind: 'call'; name: string; arguments: Record<string, unknown> | string; id?: string }
  | { kind: 'pause'; ms: number }
  /** Waits for `endpoint.release(gate)`. */
  | { kind: 'hold'; gate: string }
  /** Closes the connection in the middle of the answer. */
  | { kind: 'disconnect' }
  /** Raw bytes. */
  | { kind: 'raw'; text: string }

export const say = (text: string): ReplyPart => ({ kind: 'text', text })
export const think = (
  text: string,
  field: 'reasoning_content' | 'reasoning' | 'thinking' = 'reasoning_content',
): ReplyPart => ({
  kind: 'reasoning',
  text,
  field,
})
export const call = (name: string, args: Record<string, unknown> | string, id?: string): ReplyPart => ({
  kind: 'call',
  name,
  arguments: args,
  ...(id && { id }),
})
export const waitForGate = (gate: string): ReplyPart => ({ kind: 'hold', gate })
export const disconnect: ReplyPart = { kind: 'disconnect' }
export const raw = (text: string): ReplyPart => ({ kind: 'raw', text })
/** An answer of these parts, with defaults. */
export const answer = (...parts: ReplyPart[]): StreamReply => ({ parts })

/** A step with a constant answer. */
export const step = (title: string, ...parts: ReplyPart[]): ScenarioStep => ({ title, play: () => answer(...parts) })

/** The tool results differ from what a step expects. */
export class ScenarioMismatch extends Error {
  override readonly name = 'ScenarioMismatch'
}

/** A tool result in a request. */
export interface StepToolResult {
  name: string
  text: string
  /** The error code of a failed call. */ failed?: string
}

/** The input of a step: the prompt of the turn and the tool results since. */
export class StepInput {
  readonly prompt: string
  /** Number of earlier requests of this step. */
  readonly attempt: number
  /** Names of the offered tools. */
  readonly tools: readonly string[]
  /** The results of this turn, in order. */
  readonly results: readonly StepToolResult[]

  constructor(prompt: string, messages: readonly ChatMessage[], tools: readonly string[], attempt: number) {
    this.prompt = prompt
    this.tools = tools
    this.attempt = attempt
    this.results = messages
      .filter((message) => message.role === 'tool')
      .map(({ name, content }) => ({ name, text: unframeResult(content) }))
      .map((result) => ({ ...result, ...failure(result.text) }))
  }

  /** The latest result of a tool. @throws ScenarioMismatch if there is none */
  result(name: string): StepToolResult {
    const found = this.results.findLast((result) => result.name === name)
    if (!found) throw new ScenarioMismatch(`expected a result of ${name}, but the request has none`)
    return found
  }

  /**
   * Matches `pattern` in the latest result of a tool, or in the given result.
   * @throws ScenarioMismatch that names `what` was expected and quotes the result
   */
  expect(tool: string | StepToolResult, pattern: RegExp, what: string): RegExpExecArray {
    const result = typeof tool === 'string' ? this.result(tool) : tool
    const match = pattern.exec(result.text)
    if (!match)
      throw new ScenarioMismatch(`expected ${result.name} to show ${what}, but it showed: ${quote(result.text)}`)
    return match
  }
}

/**
 * Parses the executor's error format, `Error (code): …`. A call without a result reads "cancelled"
 * (clients/validHistory.ts).
 */
function failure(text: string): { failed?: string } {
  if (text === cancelledResult) return { failed: 'cancelled' }
  const code = /^Error \(([a-z_]+)\):/.exec(text)?.[1]
  return code ? { failed: code } : {}
}

function quote(text: string): string {
  return text.length > 300 ? `${JSON.stringify(text.slice(0, 300))}…` : JSON.stringify(text)
}
