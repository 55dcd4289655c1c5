import type { Dialect, FoundCall, Reading } from './dialect.ts'
import { dialects } from './dialects.ts'
import { createProse } from './prose.ts'
import { mayBeWholeCall, readWholeCall } from './wholeAnswer.ts'

export type FoundPiece = { kind: 'text' | 'reasoning'; text: string } | { kind: 'call'; call: FoundCall }

export interface CallFinder {
  /** The next piece of the answer's text, cut anywhere. */
  push(text: string): FoundPiece[]
  /** The answer is over. */
  end(): FoundPiece[]
  /** Whether text is held back that began like a call. */
  holding(): boolean
}

const openers = dialects
  .flatMap((dialect) => dialect.openers.map((text) => ({ text, dialect })))
  // Where one begins like another, the longer is meant.
  .toSorted((a, b) => b.text.length - a.text.length)
const longestOpener = Math.max(...openers.map(({ text }) => text.length))
/** A held text shorter than this is read again with every piece; a longer one only when something that could end it came. Characters. */
const alwaysRead = 400
const longestCloser = 40
/** Openers of one answer that began no call, after which none is looked for: each costs a look through the rest of the answer. */
const maxInVain = 200

/**
 * Finds tool calls in the text of an answer while it streams. What is no call passes through unchanged, character by character. A call
 * counts where its envelope stands as such: not in a code fence (unless that is the whole answer), inline code or quotation marks, and
 * not in the middle of a sentence. A name that is not offered is handed on, so that the executor can name the nearest ones.
 * @param tools names that are offered; without an envelope only these count
 */
export function createCallFinder(tools: readonly string[]): CallFinder {
  const prose = createProse()
  let held = ''
  /** The opener that `held` begins with, once it was read in vain. */
  let waiting: { at: number; length: number; dialect: Dialect } | undefined
  /** The latest piece, and enough before it to see a closer that it completes. */
  let latest = ''
  let start = true
  let inVain = 0
  /** Directly after a call: white space until the next one, or the end, is not text. */
  let afterCall = false

  function run(final: boolean): FoundPiece[] {
    const pieces: FoundPiece[] = []
    const say = (text: string) => {
      if (text === '') return
      prose.add(text)
      pieces.push({ kind: 'text', text })
    }
    const take = (length: number): string => {
      const taken = held.slice(0, length)
      held = held.slice(length)
      waiting = undefined
      return taken
    }
    if (start) {
      const trimmed = held.trimStart()
      if (!final && (trimmed === '' || mayBeWholeCall(trimmed))) return pieces
      start = false
      const calls = final ? readWholeCall(trimmed, tools) : undefined
      if (calls) {
        held = ''
        return calls.map((call) => ({ kind: 'call', call }))
      }
    }
    for (;;) {
      if (afterCall && !waiting) {
        held = held.trimStart()
        if (held === '') return pieces
      }
      const found = waiting ?? (inVain < maxInVain ? firstOpener(held) : undefined)
      if (!found) {
        const text = take(held.length - (final ? 0 : partialOpener(held)))
        if (text !== '') afterCall = false
        say(text)
        return pieces
      }
      if (found.at > 0) {
        afterCall = false
        say(take(found.at))
      }
      if (!waiting && prose.quoted()) {
        inVain += 1
        say(take(found.length))
        continue
      }
      if (!final && !worthReading(found.dialect)) return pieces
      const reading = found.dialect.read(held, final)
      const talk = reading.kind === 'envelope' && isTalk(reading, final)
      if ((reading.kind === 'more' || talk === undefined) && !final) {
        waiting = { ...found, at: 0 }
        return pieces
      }
      if (reading.kind !== 'envelope' || talk) {
        inVain += 1
        afterCall = false
        say(take(reading.kind === 'envelope' ? reading.end : found.length))
        continue
      }
      take(reading.end)
      if (reading.reasoning) pieces.push({ kind: 'reasoning', text: reading.reasoning })
      if (reading.text) say(reading.text)
      for (const call of reading.calls) pieces.push({ kind: 'call', call })
      afterCall = !reading.text
    }
  }

  function worthReading({ closers }: Dialect): boolean {
    return !waiting || held.length < alwaysRead || closers.some((closer) => latest.includes(closer))
  }

  /** Whether words stand on both sides of an envelope on its line: then the model writes about it. Undefined while that is not known. */
  function isTalk(reading: Extract<Reading, { kind: 'envelope' }>, final: boolean): boolean | undefined {
    if (reading.calls.length === 0 || prose.line().trim() === '') return false
    const rest = held.slice(reading.end)
    const after = /^[ \t]*(\S|\n|\r)?/.exec(rest)?.[1]
    if (after === undefined) return final ? false : undefined
    if (after === '\n' || after === '\r') return false
    const tail = rest.trimStart()
    if (openers.some(({ text }) => tail.startsWith(text))) return false
    return !final && openers.some(({ text }) => text.startsWith(tail)) ? undefined : true
  }

  return {
    push(text) {
      held += text
      latest = latest.slice(-longestCloser) + text
      return run(false)
    },
    end: () => run(true),
    holding: () => waiting !== undefined,
  }
}

function firstOpener(text: string): { at: number; length: number; dialect: Dialect } | undefined {
  let first: { at: number; length: number; dialect: Dialect } | undefined
  for (const { text: opener, dialect } of openers) {
    const at = text.indexOf(opener)
    if (at !== -1 && (!first || at < first.at)) first = { at, length: opener.length, dialect }
  }
  return first
}

/** Length of the end of `text` that could be the beginning of an opener. */
function partialOpener(text: string): number {
  for (let length = Math.min(longestOpener - 1, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (openers.some(({ text: opener }) => opener.startsWith(end))) return length
  }
  return 0
}
