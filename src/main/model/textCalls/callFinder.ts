import { closingTagsFor, closingTags, openingTags } from './thinkTags.ts'
import {
  hasCompleteArguments,
  isSpecialToken,
  isTemplateToken,
  type Dialect,
  type FoundCall,
  type ParseResult,
} from './dialect.ts'
import { skipTokens, delimitersFor, type Delimiter, type DelimiterSet } from './delimiters.ts'
import { createProseContext, type ProseContext } from './proseContext.ts'
import { createBareCallReader } from './bareCalls.ts'

export type AnswerPiece = { kind: 'text' | 'reasoning'; text: string } | { kind: 'call'; call: FoundCall }

export interface CallFinder {
  /** The next piece of the answer's text, cut anywhere. */
  push(text: string): AnswerPiece[]
  /** The answer is over. @param cut the server ended it at its limit */
  finish(cut?: boolean): AnswerPiece[]
  /** What is held back is handed out, and no call is looked for in what follows. */
  stopCalls(): AnswerPiece[]
  /** Whether text is held back that began like a call. */
  isHolding(): boolean
}

/** A held text shorter than this is read again with every piece; a longer one only when something that could end it came. Characters. */
const alwaysParseLength = 400
/** After as many readings in vain a text is read again only when it grew by a quarter, so that all of them together stay linear. */
const maxEagerParses = 16
const maxCloserLength = 40
/** White space before an answer beyond this is part of it. Characters. */
const maxSpace = 1000
/** What may be read in vain of one answer before no more calls are looked for. Characters; ten times the longest answer. */
const parseBudget = 10_000_000

interface Waiting {
  dialect: Dialect
  readings: number
  /** The length at which it is read again, and whether something that could end it came. */
  readAt: number
  due: boolean
}

/**
 * Tells apart what an answer's text holds while it streams: the thought, the calls, the text for the user. One pass does all three, because
 * each may quote the others: a thought tag in the arguments of a call is part of a file, a call in a closed thought is a thought.
 * - A thought begins at the very beginning of the answer, or directly after another one. What is not closed is a thought to its end, but
 *   calls in it count: models forget the tag. A closing tag without an opening one ends a thought that a template began in the prompt.
 * - A call counts where its envelope stands as such: not in a code fence (unless that is the whole answer), inline code or quotation marks,
 *   and in the middle of a sentence only with tokens that no prose has.
 * - Tokens of the chat template are dropped, but where they are quoted.
 * All other text passes through unchanged, character by character, wherever the pieces are cut.
 * @param tools names that are offered; without an envelope only these count. Undefined: no calls are looked for
 * @param hasOwnThoughts the server sends thoughts apart, so that a closing tag alone is text
 */
export function createCallFinder(
  tools: readonly string[] | undefined,
  hasOwnThoughts: () => boolean = () => false,
): CallFinder {
  return new Finder(tools, hasOwnThoughts)
}

/**
 * The calls in a thought that the server sent apart, by the rules of an open thought and stricter: whole envelopes of template tokens, and
 * offered tools only. What merely looks like a call, such as JSON, is a thought.
 * @param cut the server ended the answer at its limit
 */
export function callsInReasoning(thought: string, tools: readonly string[], cut: boolean): FoundCall[] {
  const finder = new Finder(tools, () => true, true)
  const [opening = ''] = openingTags
  const pieces = [...finder.push(opening + thought), ...finder.finish(cut)]
  return pieces.flatMap((piece) =>
    piece.kind === 'call' && tools.includes(piece.call.name) && hasCompleteArguments(piece.call) ? [piece.call] : [],
  )
}

class Finder implements CallFinder {
  #tools: readonly string[] | undefined
  readonly #hasOwnThoughts: () => boolean
  #held = ''
  /** The latest piece, and enough before it to see a closer that it completes. */
  #latest = ''
  /** `start`: a thought may begin here. */
  #section: 'start' | 'thought' | 'answer' = 'start'
  #closers: readonly string[] = []
  /** Only one closing tag can be an orphan; later ones are prose. */
  #orphanPossible = true
  /** Nothing of the answer was handed out: all of it may be one call without an envelope. */
  #whole: ReturnType<typeof createBareCallReader> | undefined
  #waiting: Waiting | undefined
  #budget = parseBudget
  /** Directly after a call: white space until the next one, or the end, is not text. */
  #afterCall = false
  readonly #answerProse = createProseContext()
  #thoughtProse = createProseContext()
  /** The envelopes at the end of a thought that is still open, and the calls in it. */
  #deferred = ''
  #thoughtCalls: FoundCall[] = []
  #thinksOn = false
  #pieces: AnswerPiece[] = []

  /** Nothing closes the thought, and only whole envelopes of template tokens count. */
  readonly #thoughtOnly: boolean

  constructor(tools: readonly string[] | undefined, hasOwnThoughts: () => boolean, thoughtOnly = false) {
    this.#tools = tools
    this.#hasOwnThoughts = hasOwnThoughts
    this.#thoughtOnly = thoughtOnly
    this.#whole = tools && createBareCallReader(tools)
  }

  push(text: string): AnswerPiece[] {
    this.#held += text
    this.#latest = this.#latest.slice(-maxCloserLength) + text
    return this.#run(false)
  }

  finish(cut = false): AnswerPiece[] {
    const pieces = this.#run(true)
    if (this.#section !== 'thought') return pieces
    // A thought that goes on after a call and was cut off may still have decided against it.
    const counts = !(cut && this.#thinksOn)
    if (!counts && this.#deferred !== '') pieces.push({ kind: 'reasoning', text: this.#deferred })
    if (counts) pieces.push(...this.#thoughtCalls.map((call): AnswerPiece => ({ kind: 'call', call })))
    this.#deferred = ''
    this.#thoughtCalls = []
    return pieces
  }

  stopCalls(): AnswerPiece[] {
    const pieces = this.finish()
    this.#tools = undefined
    this.#whole = undefined
    return pieces
  }

  isHolding(): boolean {
    return this.#waiting !== undefined
  }

  #run(final: boolean): AnswerPiece[] {
    this.#pieces = []
    while (this.#step(final));
    return this.#pieces
  }

  /** One step forward. @returns whether there may be another */
  #step(final: boolean): boolean {
    if (this.#section === 'start') return this.#begin(final)
    if (this.#section === 'answer' && this.#whole && !this.#readWhole(final)) return false
    if (this.#waiting) return this.#readCall(this.#waiting, final)
    if (this.#section === 'answer' && this.#afterCall) this.#held = this.#held.trimStart()
    const marks = this.#marks()
    const found = marks.next(this.#held)
    if (!found) {
      this.#say(this.#take(this.#held.length - (final ? 0 : marks.partial(this.#held))))
      return false
    }
    this.#say(this.#take(found.at))
    // It may become a longer mark.
    if (!final && marks.isBeginning(this.#held)) return false
    return this.#meet(found.mark, final)
  }

  #marks(): DelimiterSet {
    const orphans = this.#orphanPossible && !this.#hasOwnThoughts() ? closingTags : []
    return delimitersFor(
      this.#tools !== undefined && this.#budget > 0,
      this.#section === 'thought' ? this.#closers : orphans,
    )
  }

  /** The place where a thought may begin. */
  #begin(final: boolean): boolean {
    const trimmed = this.#held.trimStart()
    const isFar = this.#held.length - trimmed.length > maxSpace
    const tag = isFar ? undefined : openingTags.find((candidate) => trimmed.startsWith(candidate))
    if (tag) {
      this.#held = trimmed.slice(tag.length)
      this.#section = 'thought'
      this.#closers = this.#thoughtOnly ? [] : closingTagsFor(tag)
      this.#orphanPossible = false
      this.#thoughtProse = createProseContext()
      return true
    }
    if (!isFar && openingTags.some((candidate) => candidate.startsWith(trimmed))) {
      if (!final) return false
      // Nothing but the white space after a thought: not an answer.
      if (!trimmed) this.#held = ''
    }
    this.#section = 'answer'
    return true
  }

  /** @returns whether it is known that the answer is not one call without an envelope */
  #readWhole(final: boolean): boolean {
    const reading = this.#whole?.read(this.#held, final)
    if (reading === undefined) return false
    this.#whole = undefined
    this.#held = reading.rest
    for (const call of reading.calls) this.#pieces.push({ kind: 'call', call })
    return true
  }

  /** What becomes of a mark at the beginning of the held text. */
  #meet(mark: Delimiter, final: boolean): boolean {
    const isQuoted = this.#prose().quoted()
    if (mark.kind === 'token')
      return this.#meetToken(mark.text, final, mark.last || (isQuoted && this.#section === 'answer'))
    if (mark.kind === 'closer') {
      if (this.#section === 'answer' && isQuoted) this.#say(this.#take(mark.text.length))
      else this.#closeThought(mark.text)
      return true
    }
    if (isQuoted || (this.#thoughtOnly && !isTemplateToken(this.#held))) {
      this.#say(this.#take(mark.text.length))
      return true
    }
    return this.#readCall({ dialect: mark.dialect, readings: 0, readAt: 0, due: true }, final)
  }

  /** @param onlyAtEnd the token is text where something follows it */
  #meetToken(token: string, final: boolean, onlyAtEnd: boolean): boolean {
    if (!onlyAtEnd) {
      this.#take(token.length)
      return true
    }
    const after = this.#held.length > maxSpace ? 'text' : skipTokens(this.#held.slice(token.length))
    if (after === '' && final) this.#take(this.#held.length)
    if (after === '' || (!final && this.#marks().isBeginning(after))) return false
    this.#say(this.#take(token.length))
    return true
  }

  #closeThought(tag: string): void {
    this.#take(tag.length)
    if (this.#section === 'thought' && this.#deferred !== '')
      this.#pieces.push({ kind: 'reasoning', text: this.#deferred })
    this.#deferred = ''
    this.#thoughtCalls = []
    this.#thinksOn = false
    this.#orphanPossible = false
    this.#whole = this.#tools && createBareCallReader(this.#tools)
    // Templates put blank lines between the thought and the answer.
    this.#section = 'start'
  }

  #readCall(waiting: Waiting, final: boolean): boolean {
    if (!final && this.#waiting && !this.#isWorthReading(waiting)) return false
    const reading = waiting.dialect.parse(this.#held, final)
    const talk = reading.kind === 'envelope' ? this.#isTalk(reading, final) : false
    if (!final && (reading.kind === 'incomplete' || talk === undefined)) {
      const length = this.#held.length
      const readings = length < alwaysParseLength ? 0 : waiting.readings + 1
      this.#waiting = { ...waiting, readings, due: false, readAt: readings < maxEagerParses ? 0 : length * 1.25 }
      return false
    }
    const isOpenEnded =
      this.#thoughtOnly && reading.kind === 'envelope' && !isClosed(this.#held.slice(0, reading.end), waiting.dialect)
    if (reading.kind !== 'envelope' || talk || isOpenEnded || (final && this.#closesInside(reading))) {
      this.#budget -= this.#held.length
      const whole = reading.kind === 'envelope' && talk
      this.#say(this.#take(whole ? reading.end : openerLength(this.#held, waiting.dialect)))
      return true
    }
    const envelope = this.#take(reading.end)
    if (this.#section === 'thought') this.#defer(envelope, reading.calls)
    else this.#accept(reading)
    return true
  }

  #isWorthReading(waiting: Waiting): boolean {
    if (this.#held.length < alwaysParseLength) return true
    waiting.due ||= waiting.dialect.closers.some((closer) => this.#latest.includes(closer))
    return waiting.due && this.#held.length >= waiting.readAt
  }

  /** Whether what an open thought's last envelope swallowed to the answer's end was the end of the thought. */
  #closesInside({ calls }: Extract<ParseResult, { kind: 'envelope' }>): boolean {
    return (
      this.#section === 'thought' &&
      !calls.every(hasCompleteArguments) &&
      this.#closers.some((closer) => this.#held.includes(closer))
    )
  }

  /** Whether words are on both sides of an envelope on its line: then the model writes about it. Undefined while that is not known. */
  #isTalk(reading: Extract<ParseResult, { kind: 'envelope' }>, final: boolean): boolean | undefined {
    if (reading.calls.length === 0 || isSpecialToken(this.#held) || this.#prose().blank()) return false
    const rest = this.#held.slice(reading.end)
    const after = /^[ \t]*(\S|\n|\r)?/.exec(rest)?.[1]
    if (after === undefined) return final ? false : undefined
    if (after === '\n' || after === '\r') return false
    const tail = rest.trimStart()
    const marks = this.#marks()
    if (marks.next(tail.slice(0, maxCloserLength))?.at === 0) return false
    return !final && marks.isBeginning(tail) ? undefined : true
  }

  #accept({ reasoning, text, calls }: Extract<ParseResult, { kind: 'envelope' }>): void {
    if (reasoning) this.#pieces.push({ kind: 'reasoning', text: reasoning })
    if (text) this.#say(text)
    for (const call of calls) this.#pieces.push({ kind: 'call', call })
    this.#afterCall = !text
  }

  #defer(envelope: string, calls: readonly FoundCall[]): void {
    if (calls.length === 0) {
      this.#say(envelope)
      return
    }
    this.#deferred += envelope
    this.#thoughtCalls.push(...calls)
    this.#thinksOn = false
  }

  #prose(): ProseContext {
    return this.#section === 'thought' ? this.#thoughtProse : this.#answerProse
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#waiting = undefined
    return taken
  }

  #say(text: string): void {
    if (text === '') return
    this.#prose().add(text)
    if (this.#section !== 'thought') {
      this.#afterCall = false
      this.#pieces.push({ kind: 'text', text })
    } else if (this.#deferred !== '' && text.trim() === '') {
      this.#deferred += text
    } else {
      this.#thinksOn = this.#thoughtCalls.length > 0
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
