import { allFeatures, type Features } from '../../../shared/features.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { createCallAssembler } from './callAssembler.ts'
import { ModelError, type ChatMessage, type ChatRequest, type ModelEvent } from './modelClient.ts'
import { withControlTokens } from './controlTokens.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import { newCallId, uniqueId } from './validHistory.ts'
import { callsInReasoning, createCallFinder, type AnswerPiece } from '../textCalls/callFinder.ts'
import type { FoundCall } from '../textCalls/dialect.ts'

/** What one piece of an answer holds, whichever server sent it. */
export interface AnswerDelta {
  reasoning: string
  text: string
  /** The list of call fragments as it came. */
  calls: unknown
}

export interface AnswerReader {
  push(delta: AnswerDelta): ModelEvent[]
  /** What was held back, then the calls, native ones or those in the text. @param cut the server ended the answer at its limit */
  finish(cut: boolean): ModelEvent[]
  /** The text that was held back when the answer failed; half a call is left out. */
  interrupt(): ModelEvent[]
}

/**
 * More than any model writes in one answer, and what a person would not read: about 300,000 tokens. A model that never ends, or a broken
 * server, is stopped there. Characters of text, thought and arguments together.
 */
export const maxAnswerLength = 1_000_000

/**
 * Turns the pieces of an answer into events: thoughts in tags apart, calls in text found where the request offers tools (textCalls/finder.ts). Calls that
 * the server recognised itself win: then the text is not searched, for the same call would count twice.
 * @throws ModelError `bad_response` when the answer is longer than `maxAnswerLength`
 */
export function createAnswerReader(
  request: ChatRequest,
  target: RequestTarget,
  features: Partial<Features> = {},
): AnswerReader {
  const { textCalls } = { ...allFeatures, ...features }
  const usedIds = callIds(request.messages)
  const assembler = createCallAssembler(usedIds)
  const inText: FoundCall[] = []
  const searched = textCalls && request.tools.length > 0
  let hasOwnThoughts = false
  /** What the server sent as thought, and whether there was an answer beside it. */
  let thoughts = ''
  let answered = false
  const finder = createCallFinder(searched ? request.tools.map(({ name }) => name) : undefined, () => hasOwnThoughts)
  let length = 0
  let told = false

  const sort = (pieces: readonly AnswerPiece[]): ModelEvent[] =>
    pieces.flatMap((piece) => {
      answered ||= piece.kind === 'text' && piece.text.trim() !== ''
      if (piece.kind !== 'call') return [piece]
      inText.push(piece.call)
      return []
    })

  return {
    push({ reasoning, text, calls }) {
      const hasCalls = Array.isArray(calls) && calls.length > 0
      length += reasoning.length + text.length + (hasCalls ? JSON.stringify(calls).length : 0)
      if (length > maxAnswerLength) throw tooLong(target)
      const thought = withoutNul(reasoning)
      const said = withoutNul(text)
      hasOwnThoughts ||= thought.trim() !== ''
      if (searched) thoughts += thought
      const events: ModelEvent[] = thought ? [{ kind: 'reasoning', text: thought }] : []
      if (said) events.push(...sort(finder.push(said)))
      // Nothing of it can be shown before it is whole, and a file's text takes long.
      const holding = finder.isHolding()
      if (holding && !told) events.push({ kind: 'status', note: 'The model writes a call…' })
      told = holding
      if (!hasCalls) return events
      events.push(...sort(finder.stopCalls()))
      return [...events, ...assembler.push(calls).map(asMeant)]
    },
    interrupt: () => (finder.isHolding() ? [] : finder.finish().filter((piece) => piece.kind !== 'call')),
    finish(cut) {
      const events = sort(finder.finish(cut))
      const native = assembler.finish(cut).map(asMeant)
      if (native.length > 0) return [...events, ...native]
      // Models that never leave their thought call from inside it: better than an answer of nothing.
      if (inText.length === 0 && !answered && searched)
        inText.push(
          ...callsInReasoning(
            thoughts,
            request.tools.map(({ name }) => name),
            cut,
          ),
        )
      const found = inText.map((call) => ({
        id: uniqueId(newCallId(), usedIds),
        name: call.name,
        arguments: call.arguments,
      }))
      return [...events, ...found.map((call) => asMeant({ kind: 'call', call }))]
    },
  }
}

function asMeant(event: ModelEvent): ModelEvent {
  return event.kind === 'call'
    ? { ...event, call: { ...event.call, arguments: withControlTokens(event.call.arguments) } }
    : event
}

/** Databases and terminals end a text at a NUL; no model means one. */
function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

function tooLong(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} sent more than ${formatNumber(maxAnswerLength)} characters in one answer, so it was ended.`,
    'The model may not find its end: send the message again, or pick another model.',
  )
}

/** Every call id of a conversation so far: servers that count from zero in each answer would repeat them. */
function callIds(messages: readonly ChatMessage[]): Set<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [],
    ),
  )
}
