import type { ChatMessage } from '../clients/modelClient.ts'
import { cancelledResult } from '../clients/validHistory.ts'

/**
 * What a scripted endpoint plays. It answers each request from the conversation the request carries and keeps no place
 * of its own, so reloads, retries and several conversations at once need no care: the last user message chooses the turn, the
 * number of assistant messages after it the step.
 */
export interface Scenario {
  /** Named in failures, and on the command line of e2e/scenarios/serve.ts. */
  name: string
  /** Listed by /v1/models; requests may name any. Default `scripted`. */
  model?: string
  /** Tokens, told by /v1/models. */
  contextWindow?: number
  /** Milliseconds between two pieces of an answer. Default 0. */
  pace?: number
  turns: ScenarioTurn[]
  /** Where given, every request is answered by this program and `turns` are not looked at. */
  respond?(request: ScriptedChatRequest): Reply
  /** The answer to a user message that no turn expects. Default: it says so and names what it expects. */
  unexpected?(prompt: string): Reply
}

/** A chat request as a program that plays a model reads it. */
export interface ScriptedChatRequest {
  messages: readonly ChatMessage[]
  /** Names of the tools that are offered. */
  tools: readonly string[]
  /** As it was sent. */
  body: Record<string, unknown>
}

export interface ScenarioTurn {
  /** User messages that start it. */
  prompt: RegExp
  steps: ScenarioStep[]
}

export interface ScenarioStep {
  /** Named in failures. */
  title: string
  /** Checks what came back so far, and answers. @throws ScenarioMismatch */
  play(seen: StepInput): Reply
}

/** One answer: a streamed one in parts, or a plain HTTP one. */
export type Reply = StreamReply | HttpReply
export interface StreamReply {
  parts: ReplyPart[]
  /** Bytes a write: 1 splits events and characters at every byte. Default: an event a write. */
  bytesPerWrite?: number
  /** Milliseconds between two pieces, instead of the scenario's. */
  pace?: number
  /** Default: counts made from the answer. `null`: none is sent. */
  usage?: { promptTokens: number; completionTokens: number } | null
  /** `null`: none is sent. */
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
  /** `arguments`: an object, or text to send as it is (malformed, for example). Calls that stand together are streamed interleaved. */
  | { kind: 'call'; name: string; arguments: Record<string, unknown> | string; id?: string }
  | { kind: 'pause'; ms: number }
  /** Waits for `endpoint.release(gate)`. */
  | { kind: 'hold'; gate: string }
  /** Ends the connection without the end of the answer. */
  | { kind: 'cut' }
  /** Bytes that are written as they are. */
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
export const pause = (ms: number): ReplyPart => ({ kind: 'pause', ms })
export const waitForGate = (gate: string): ReplyPart => ({ kind: 'hold', gate })
export const disconnect: ReplyPart = { kind: 'cut' }
export const raw = (text: string): ReplyPart => ({ kind: 'raw', text })
/** An answer of these parts and nothing special. */
export const answer = (...parts: ReplyPart[]): StreamReply => ({ parts })

/** A step that always answers the same. */
export const step = (title: string, ...parts: ReplyPart[]): ScenarioStep => ({ title, play: () => answer(...parts) })

/** What a step expected did not come back from the tools. */
export class ScenarioMismatch extends Error {
  override readonly name = 'ScenarioMismatch'
}

/** A tool result as the model would read it. */
export interface StepToolResult {
  name: string
  text: string
  /** The error's code when the call failed. */ failed?: string
}

/** What a step can see: this turn's prompt and every tool result since. */
export class StepInput {
  readonly prompt: string
  /** How often this step was asked before. */
  readonly attempt: number
  /** Names of the tools the request offers. */
  readonly tools: readonly string[]
  /** This turn's results, in order. */
  readonly results: readonly StepToolResult[]

  constructor(prompt: string, messages: readonly ChatMessage[], tools: readonly string[], attempt: number) {
    this.prompt = prompt
    this.tools = tools
    this.attempt = attempt
    this.results = messages
      .filter((message) => message.role === 'tool')
      .map(({ name, content }) => ({ name, text: content, ...failure(content) }))
  }

  /** The latest result of a tool. @throws ScenarioMismatch when it has none */
  result(name: string): StepToolResult {
    const found = this.results.findLast((result) => result.name === name)
    if (!found) throw new ScenarioMismatch(`expected a result of ${name}, but the request has none`)
    return found
  }

  /**
   * The match of `pattern` in the latest result of a tool (or in the one given).
   * @throws ScenarioMismatch that names `what` was expected and quotes what came
   */
  expect(tool: string | StepToolResult, pattern: RegExp, what: string): RegExpExecArray {
    const result = typeof tool === 'string' ? this.result(tool) : tool
    const match = pattern.exec(result.text)
    if (!match)
      throw new ScenarioMismatch(`expected ${result.name} to show ${what}, but it showed: ${quote(result.text)}`)
    return match
  }
}

/** As the executor words failures: `Error (code): …`; a call without a result reads "cancelled" (history.ts). */
function failure(text: string): { failed?: string } {
  if (text === cancelledResult) return { failed: 'cancelled' }
  const code = /^Error \(([a-z_]+)\):/.exec(text)?.[1]
  return code ? { failed: code } : {}
}

function quote(text: string): string {
  return text.length > 300 ? `${JSON.stringify(text.slice(0, 300))}…` : JSON.stringify(text)
}
