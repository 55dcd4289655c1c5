import { closingTagsFor, closingTags, openingTags } from './thinkTags.ts'
import {
  hasCompleteArguments,
  isSpecialToken,
  isTemplateToken,
  type Dialect,
  type FoundCall,
  type OfferedTools,
  type ParseResult,
} from './dialect.ts'
import { skipTokens, delimitersFor, type Delimiter, type DelimiterSet } from './delimiters.ts'
import { createProseContext, type ProseContext } from './proseContext.ts'
import { createBareCallReader } from './bareCalls.ts'
import { react } from './react.ts'

export type AnswerPiece =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; call: FoundCall }
  /** All text before this was reasoning whose opening tag is in the prompt, and the calls in it do not count. */
  | { kind: 'wasReasoning' }

export interface CallFinder {
  /** Adds a chunk of the answer's text, split anywhere. */
  push(text: string): AnswerPiece[]
  /** Ends the answer. @param truncated whether the server truncated it */
  finish(truncated?: boolean): AnswerPiece[]
  /** Returns the text held back, and stops looking for calls. */
  stopCalls(): AnswerPiece[]
  /** Whether text is held back that starts like a call. */
  isHolding(): boolean
}

/**
 * Held text up to this length is parsed again with every chunk; longer text only after something that could end it.
 * Characters.
 */
const alwaysParseLength = 400
/**
 * After this many unsuccessful parses, text is parsed again only once it has grown by a quarter, so that the total time
 * stays linear.
 */
const maxEagerParses = 16
const maxCloserLength = 40
/** Maximum whitespace to skip before an answer, in characters. */
const maxSpace = 1000
/**
 * Maximum number of characters to parse unsuccessfully in an answer before the search for calls stops. Ten times the
 * longest answer.
 */
const parseBudget = 10_000_000

interface PendingCall {
  dialect: Dialect
  attempts: number
  /** The length at which to parse again. */
  retryLength: number
  /** Whether text that could end the call has arrived since. */
  mayBeComplete: boolean
}

/**
 * Separates reasoning, calls and text in a streamed answer. One pass handles all three, because each may quote the
 * others: a reasoning tag in a call's arguments is part of a file, a call in closed reasoning is reasoning.
 * - Reasoning starts at the beginning of the answer, or directly after other reasoning. Unclosed reasoning continues to
 *   the end, but calls in it count, since models forget the tag. A closing tag without an opening one ends reasoning
 *   that the template started in the prompt: what was returned as text before it becomes reasoning.
 * - A call counts outside code fences (unless the fence is the whole answer), inline code and quotation marks. In the
 *   middle of a sentence, only tokens that never occur in prose start a call.
 * - Chat template tokens are dropped unless they are quoted.
 * All other text passes through unchanged, wherever the chunks are split.
 * @param tools names of the offered tools. Without an envelope, only their calls count. Undefined disables the search
 *   for calls
 * @param soleParameterOf returns the only required parameter of a tool
 * @param hasReasoningField whether the server sends reasoning in its own field, so that a lone closing tag is text
 */
export function createCallFinder(
  tools: readonly string[] | undefined,
  hasReasoningField: () => boolean = () => false,
  soleParameterOf: OfferedTools['soleParameterOf'] = () => undefined,
): CallFinder {
  return new Finder(tools, hasReasoningField, { soleParameterOf })
}

/**
 * Finds the calls in reasoning that the server sent in its own field. Stricter than for unclosed reasoning: only
 * complete envelopes of template tokens, and only offered tools. Anything that merely resembles a call, such as JSON,
 * is reasoning.
 * @param truncated whether the server truncated the answer
 */
export function callsInReasoning(thought: string, tools: readonly string[], truncated: boolean): FoundCall[] {
  const finder = new Finder(tools, () => true, { separateReasoning: true })
  const [opening = ''] = openingTags
  const pieces = [...finder.push(opening + thought), ...finder.finish(truncated)]
  return pieces.flatMap((piece) =>
    piece.kind === 'call' && tools.includes(piece.call.name) && hasCompleteArguments(piece.call) ? [piece.call] : [],
  )
}

class Finder implements CallFinder {
  #tools: readonly string[] | undefined
  readonly #hasReasoningField: () => boolean
  #held = ''
  /** The latest chunk, with enough text before it to detect a closing tag that it completes. */
  #latest = ''
  /** `start`: reasoning may start here. */
  #section: 'start' | 'thought' | 'answer' = 'start'
  #closers: readonly string[] = []
  /** Only the first closing tag can lack an opening one; later ones are prose. */
  #mayLackOpeningTag = true
  /** Set while nothing was returned yet, so that the whole answer may be a call without an envelope. */
  #bareCallReader: ReturnType<typeof createBareCallReader> | undefined
  #pendingCall: PendingCall | undefined
  #budget = parseBudget
  /** Drops whitespace after a call, up to the next one or the end. */
  #afterCall = false
  readonly #answerProse = createProseContext()
  #thoughtProse = createProseContext()
  /** Held back at the end of unclosed reasoning: the text of the envelopes, and the calls in them. */
  #deferred = ''
  #thoughtCalls: FoundCall[] = []
  #reasoningContinues = false
  #pieces: AnswerPiece[] = []

  /**
   * Whether the text is reasoning from the server's own field. Such text has no closing tag, and only calls in complete
   * envelopes of template tokens count.
   */
  readonly #separateReasoning: boolean
  readonly #soleParameterOf: OfferedTools['soleParameterOf']
  /** Whether text was returned that a closing tag may turn into reasoning. */
  #returnedText = false
  /** Set by a call after which the model may invent a result: `listening` until that begins, then `dropping`. */
  #invention: 'listening' | 'dropping' | undefined

  constructor(
    tools: readonly string[] | undefined,
    hasReasoningField: () => boolean,
    {
      separateReasoning = false,
      soleParameterOf = () => undefined,
    }: { separateReasoning?: boolean; soleParameterOf?: OfferedTools['soleParameterOf'] },
  ) {
    this.#tools = tools
    this.#soleParameterOf = soleParameterOf
    this.#hasReasoningField = hasReasoningField
    this.#separateReasoning = separateReasoning
    this.#bareCallReader = tools && createBareCallReader(tools)
  }

  push(text: string): AnswerPiece[] {
    this.#held += text
    this.#latest = this.#latest.slice(-maxCloserLength) + text
    return this.#run(false)
  }

  finish(truncated = false): AnswerPiece[] {
    const pieces = this.#run(true)
    if (this.#section !== 'thought') return pieces
    // Reasoning that continues after a call and is truncated may have rejected the call.
    const counts = !(truncated && this.#reasoningContinues)
    if (!counts && this.#deferred !== '') pieces.push({ kind: 'reasoning', text: this.#deferred })
    if (counts) pieces.push(...this.#thoughtCalls.map((call): AnswerPiece => ({ kind: 'call', call })))
    this.#deferred = ''
    this.#thoughtCalls = []
    return pieces
  }

  stopCalls(): AnswerPiece[] {
    const pieces = this.finish()
    this.#tools = undefined
    this.#bareCallReader = undefined
    return pieces
  }

  isHolding(): boolean {
    return this.#pendingCall !== undefined
  }

  #run(final: boolean): AnswerPiece[] {
    this.#pieces = []
    while (this.#step(final));
    return this.#pieces
  }

  /** Advances by one step. @returns whether another may follow */
  #step(final: boolean): boolean {
    if (this.#invention === 'dropping') this.#held = ''
    if (this.#section === 'start') return this.#begin(final)
    if (this.#section === 'answer' && this.#bareCallReader && !this.#readBareCall(final)) return false
    if (this.#pendingCall) return this.#readCall(this.#pendingCall, final)
    if (this.#section === 'answer' && this.#afterCall) this.#held = this.#held.trimStart()
    const marks = this.#delimiters()
    const found = marks.next(this.#held)
    if (!found) {
      this.#addText(this.#take(this.#held.length - (final ? 0 : marks.partial(this.#held))))
      return false
    }
    this.#addText(this.#take(found.at))
    // More text may make it a longer delimiter.
    if (!final && marks.isBeginning(this.#held)) return false
    return this.#handleDelimiter(found.mark, final)
  }

  #delimiters(): DelimiterSet {
    const orphans = this.#mayLackOpeningTag && !this.#hasReasoningField() ? closingTags : []
    return delimitersFor(
      this.#tools !== undefined && this.#budget > 0,
      this.#section === 'thought' ? this.#closers : orphans,
      { opensReasoning: this.#section === 'answer', inventsResults: this.#invention === 'listening' },
    )
  }

  /** Decides whether the answer starts with reasoning. @returns whether enough of it has arrived to decide */
  #begin(final: boolean): boolean {
    const trimmed = this.#held.trimStart()
    const isFar = this.#held.length - trimmed.length > maxSpace
    const tag = isFar ? undefined : openingTags.find((candidate) => trimmed.startsWith(candidate))
    if (tag) {
      this.#held = trimmed
      this.#openReasoning(tag)
      return true
    }
    if (!isFar && openingTags.some((candidate) => candidate.startsWith(trimmed))) {
      if (!final) return false
      // Whitespace after reasoning is not an answer.
      if (!trimmed) this.#held = ''
    }
    this.#section = 'answer'
    return true
  }

  #openReasoning(tag: string): void {
    this.#take(tag.length)
    this.#section = 'thought'
    this.#closers = this.#separateReasoning ? [] : closingTagsFor(tag)
    this.#mayLackOpeningTag = false
    this.#thoughtProse = createProseContext()
  }

  /** @returns whether the answer is known not to be a call without an envelope */
  #readBareCall(final: boolean): boolean {
    const reading = this.#bareCallReader?.read(this.#held, final)
    if (reading === undefined) return false
    this.#bareCallReader = undefined
    this.#held = reading.rest
    for (const call of reading.calls) this.#pieces.push({ kind: 'call', call })
    return true
  }

  /** Handles the delimiter at the start of the held text. */
  #handleDelimiter(mark: Delimiter, final: boolean): boolean {
    const isQuoted = this.#prose().quoted()
    if (mark.kind === 'token')
      return this.#handleToken(mark.text, final, mark.last || (isQuoted && this.#section === 'answer'))
    if (mark.kind === 'closer') return this.#handleCloser(mark.text, final)
    if (mark.kind === 'invented' && !isQuoted && this.#prose().blank()) {
      this.#invention = 'dropping'
      return true
    }
    if (mark.kind === 'opener' && !isQuoted) {
      this.#openReasoning(mark.text)
      return true
    }
    if (mark.kind !== 'call') {
      this.#addText(this.#take(mark.text.length))
      return true
    }
    if (mark.dialect === react && !this.#prose().blank()) {
      this.#addText(this.#take(mark.text.length))
      return true
    }
    if (isQuoted || (this.#separateReasoning && !isTemplateToken(this.#held))) {
      this.#addText(this.#take(mark.text.length))
      return true
    }
    return this.#readCall({ dialect: mark.dialect, attempts: 0, retryLength: 0, mayBeComplete: true }, final)
  }

  /** @param onlyAtEnd the token is text if anything follows it */
  #handleToken(token: string, final: boolean, onlyAtEnd: boolean): boolean {
    if (!onlyAtEnd) {
      this.#take(token.length)
      return true
    }
    const after = this.#held.length > maxSpace ? 'text' : skipTokens(this.#held.slice(token.length))
    if (after === '' && final) this.#take(this.#held.length)
    if (after === '' || (!final && this.#delimiters().isBeginning(after))) return false
    this.#addText(this.#take(token.length))
    return true
  }

  #handleCloser(tag: string, final: boolean): boolean {
    if (this.#section === 'answer') {
      const after = this.#held.slice(tag.length)
      const isInSentence = this.#answerProse.afterBlank()
      // More text shows whether the tag is a word in a sentence.
      if (isInSentence && !final && /^[ \t]*$/.test(after)) return false
      if (this.#answerProse.quoted() || (isInSentence && /^[ \t]+[^\s]/.test(after))) {
        this.#addText(this.#take(tag.length))
        return true
      }
      if (this.#returnedText) this.#pieces.push({ kind: 'wasReasoning' })
    }
    this.#closeReasoning(tag)
    return true
  }

  #closeReasoning(tag: string): void {
    this.#take(tag.length)
    if (this.#section === 'thought' && this.#deferred !== '')
      this.#pieces.push({ kind: 'reasoning', text: this.#deferred })
    this.#deferred = ''
    this.#thoughtCalls = []
    this.#reasoningContinues = false
    this.#mayLackOpeningTag = false
    this.#bareCallReader = this.#tools && createBareCallReader(this.#tools)
    // Templates separate reasoning and answer with blank lines.
    this.#section = 'start'
  }

  #readCall(pendingCall: PendingCall, final: boolean): boolean {
    if (!final && this.#pendingCall && !this.#isWorthParsing(pendingCall)) return false
    const reading = pendingCall.dialect.parse(this.#held, final, {
      names: this.#tools ?? [],
      soleParameterOf: this.#soleParameterOf,
    })
    const isProse = reading.kind === 'envelope' ? this.#isProse(reading, final) : false
    if (!final && (reading.kind === 'incomplete' || isProse === undefined)) {
      const length = this.#held.length
      const attempts = length < alwaysParseLength ? 0 : pendingCall.attempts + 1
      this.#pendingCall = {
        ...pendingCall,
        attempts,
        mayBeComplete: false,
        retryLength: attempts < maxEagerParses ? 0 : length * 1.25,
      }
      return false
    }
    const isOpenEnded =
      this.#separateReasoning &&
      reading.kind === 'envelope' &&
      !isClosed(this.#held.slice(0, reading.end), pendingCall.dialect)
    if (reading.kind !== 'envelope' || isProse || isOpenEnded || (final && this.#closesInside(reading))) {
      this.#budget -= this.#held.length
      const whole = reading.kind === 'envelope' && isProse
      this.#addText(this.#take(whole ? reading.end : openerLength(this.#held, pendingCall.dialect)))
      return true
    }
    const envelope = this.#take(reading.end)
    const calls = reading.calls.map((call) => ({ ...call, dialect: pendingCall.dialect.name }))
    if (this.#section === 'thought') this.#defer(envelope, calls)
    else this.#accept({ ...reading, calls })
    return true
  }

  #isWorthParsing(pendingCall: PendingCall): boolean {
    if (this.#held.length < alwaysParseLength) return true
    pendingCall.mayBeComplete ||= pendingCall.dialect.closers.some((closer) => this.#latest.includes(closer))
    return pendingCall.mayBeComplete && this.#held.length >= pendingCall.retryLength
  }

  /** Whether an incomplete call at the end of unclosed reasoning contains the closing tag of that reasoning. */
  #closesInside({ calls }: Extract<ParseResult, { kind: 'envelope' }>): boolean {
    return (
      this.#section === 'thought' &&
      !calls.every(hasCompleteArguments) &&
      this.#closers.some((closer) => this.#held.includes(closer))
    )
  }

  /** Whether there is text on the line before and after an envelope, as in prose about it. Undefined while unknown. */
  #isProse(reading: Extract<ParseResult, { kind: 'envelope' }>, final: boolean): boolean | undefined {
    if (reading.calls.length === 0 || isSpecialToken(this.#held) || this.#prose().blank()) return false
    const rest = this.#held.slice(reading.end)
    const after = /^[ \t]*(\S|\n|\r)?/.exec(rest)?.[1]
    if (after === undefined) return final ? false : undefined
    if (after === '\n' || after === '\r') return false
    const tail = rest.trimStart()
    const marks = this.#delimiters()
    if (marks.next(tail.slice(0, maxCloserLength))?.at === 0) return false
    return !final && marks.isBeginning(tail) ? undefined : true
  }

  #accept({ reasoning, text, calls, inventsResults }: Extract<ParseResult, { kind: 'envelope' }>): void {
    if (inventsResults) this.#invention = 'listening'
    if (calls.length > 0) this.#returnedText = true
    if (reasoning) this.#pieces.push({ kind: 'reasoning', text: reasoning })
    if (text) this.#addText(text)
    for (const call of calls) this.#pieces.push({ kind: 'call', call })
    this.#afterCall = !text
  }

  #defer(envelope: string, calls: readonly FoundCall[]): void {
    if (calls.length === 0) {
      this.#addText(envelope)
      return
    }
    this.#deferred += envelope
    this.#thoughtCalls.push(...calls)
    this.#reasoningContinues = false
  }

  #prose(): ProseContext {
    return this.#section === 'thought' ? this.#thoughtProse : this.#answerProse
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#pendingCall = undefined
    return taken
  }

  #addText(text: string): void {
    if (text === '') return
    this.#prose().add(text)
    if (this.#section !== 'thought') {
      this.#afterCall = false
      this.#returnedText = true
      this.#pieces.push({ kind: 'text', text })
    } else if (this.#deferred !== '' && text.trim() === '') {
      this.#deferred += text
    } else {
      this.#reasoningContinues = this.#thoughtCalls.length > 0
      this.#pieces.push({ kind: 'reasoning', text: this.#deferred + text })
      this.#deferred = ''
    }
  }
}

function isClosed(envelope: string, { closers }: Dialect): boolean {
  return closers.length === 0 || closers.some((closer) => envelope.includes(closer))
}

function openerLength(text: string, { openers }: Dialect): number {
  return Math.max(1, ...openers.filter((opener) => text.startsWith(opener)).map((opener) => opener.length))
}
