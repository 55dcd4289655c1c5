import { allFeatures, type Features } from '../../base/features.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { createCallAssembler } from './callAssembler.ts'
import { ModelError, type ChatMessage, type ChatRequest, type ChatTool, type ModelEvent } from '../modelClient.ts'
import { withControlTokens } from './controlTokens.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import { newCallId, uniqueId } from './validHistory.ts'
import { callsInReasoning, createCallFinder, type AnswerPiece, type CallFinder } from '../textCalls/callFinder.ts'
import type { FoundCall } from '../textCalls/dialect.ts'

/** The content of one chunk of an answer, from any server. */
export interface AnswerDelta {
  reasoning: string
  text: string
  /** Unparsed call fragments. */
  calls: unknown
}

export interface AnswerReader {
  push(delta: AnswerDelta): ModelEvent[]
  /**
   * Returns the buffered text, then the calls: native ones, or those in the text.
   * @param truncated whether the server truncated the answer
   */
  finish(truncated: boolean): ModelEvent[]
  /** Returns the buffered text of a failed answer, without an incomplete call. */
  interrupt(): ModelEvent[]
}

/**
 * Maximum characters of text, reasoning and arguments in an answer, about 300,000 tokens. Stops endless models and
 * broken servers.
 */
export const maxAnswerLength = 1_000_000

/** `writtenAs` of a call that the model wrote as text without an envelope. */
const bareDialect = 'JSON or code without an envelope'

/**
 * Converts the chunks of an answer to events. Separates reasoning in tags and, if the request has tools, finds calls in
 * the text (textCalls/callFinder.ts). Native calls take precedence, so that a call that is also in the text does not
 * count twice.
 * @throws ModelError `bad_response` if the answer exceeds `maxAnswerLength`
 */
export function createAnswerReader(
  request: ChatRequest,
  target: RequestTarget,
  features: Partial<Features> = {},
): AnswerReader {
  const { textCalls } = { ...allFeatures, ...features }
  const usedIds = callIds(request.messages)
  const assembler = createCallAssembler(usedIds)
  const foundCalls: FoundCall[] = []
  const searched = textCalls && request.tools.length > 0
  let hasReasoningField = false
  /** The reasoning in the server's own field. */
  let reasoningSoFar = ''
  /** Whether the answer has text besides reasoning. */
  let answered = false
  /** Created for the first text: many answers consist of native calls. */
  let finder: CallFinder | undefined
  /** Whether native calls have arrived. The text is then not searched for calls. */
  let hasNativeCalls = false
  let length = 0
  let announced = false

  const collectCalls = (pieces: readonly AnswerPiece[]): ModelEvent[] =>
    pieces.flatMap((piece) => {
      answered ||= piece.kind === 'text' && piece.text.trim() !== ''
      if (piece.kind === 'wasReasoning') {
        answered = false
        foundCalls.length = 0
      }
      if (piece.kind !== 'call') return [piece]
      foundCalls.push(piece.call)
      return []
    })

  function findIn(text: string): AnswerPiece[] {
    if (!finder) {
      finder = createCallFinder(
        searched ? request.tools.map(({ name }) => name) : undefined,
        () => hasReasoningField,
        (name) => soleParameter(request.tools.find((tool) => tool.name === name)),
      )
      if (hasNativeCalls) finder.stopCalls()
    }
    return finder.push(text)
  }

  return {
    push({ reasoning, text, calls }) {
      const hasCalls = Array.isArray(calls) && calls.length > 0
      length += reasoning.length + text.length + (hasCalls ? JSON.stringify(calls).length : 0)
      if (length > maxAnswerLength) throw tooLong(target)
      const thought = withoutNul(reasoning)
      const clean = withoutNul(text)
      hasReasoningField ||= thought.trim() !== ''
      if (searched) reasoningSoFar += thought
      const events: ModelEvent[] = thought ? [{ kind: 'reasoning', text: thought }] : []
      if (clean) events.push(...collectCalls(findIn(clean)))
      // Nothing is shown until a call is complete, which takes long if its arguments contain a large file.
      const holding = finder?.isHolding() ?? false
      if (holding && !announced) events.push({ kind: 'status', note: 'The model is writing a call…' })
      announced = holding
      if (!hasCalls) return events
      hasNativeCalls = true
      if (finder) events.push(...collectCalls(finder.stopCalls()))
      return [...events, ...assembler.push(calls).map(withOriginalTokens)]
    },
    interrupt: () => (!finder || finder.isHolding() ? [] : finder.finish().filter((piece) => piece.kind !== 'call')),
    finish(truncated) {
      const events = collectCalls(finder?.finish(truncated) ?? [])
      const native = assembler.finish(truncated).map(withOriginalTokens)
      if (native.length > 0) return [...events, ...native]
      // Some models never end their reasoning and write calls into it. Without these calls, the answer would be empty.
      if (foundCalls.length === 0 && !answered && searched)
        foundCalls.push(
          ...callsInReasoning(
            reasoningSoFar,
            request.tools.map(({ name }) => name),
            truncated,
          ),
        )
      const found = foundCalls.map((call): ModelEvent => ({
        kind: 'call',
        call: { id: uniqueId(newCallId(), usedIds), name: call.name, arguments: call.arguments },
        writtenAs: call.dialect ?? bareDialect,
      }))
      return [...events, ...found.map(withOriginalTokens)]
    },
  }
}

/** Returns the only required parameter of a tool. */
function soleParameter(tool: ChatTool | undefined): string | undefined {
  const required = tool?.parameters['required']
  if (!Array.isArray(required) || required.length !== 1) return undefined
  const [name]: unknown[] = required
  return typeof name === 'string' ? name : undefined
}

function withOriginalTokens(event: ModelEvent): ModelEvent {
  return event.kind === 'call'
    ? { ...event, call: { ...event.call, arguments: withControlTokens(event.call.arguments) } }
    : event
}

/** Databases and terminals end a text at a NUL. No model writes one on purpose. */
function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

function tooLong(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} sent more than ${formatNumber(maxAnswerLength)} characters in one answer, so it was stopped.`,
    'The model may be repeating itself. Send the message again, or select another model.',
  )
}

/**
 * Call ids used in the conversation. Some servers number the calls of each answer from zero, which would repeat ids.
 */
function callIds(messages: readonly ChatMessage[]): Set<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [],
    ),
  )
}
