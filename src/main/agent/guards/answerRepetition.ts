/** Where an answer repeats itself. */
export interface AnswerRepetition {
  /** Characters of the stream worth keeping: up to the end of the first copy of the repeated text. */
  keep: number
}

interface RepetitionDetector {
  /** Adds streamed text, split anywhere. @returns the repetition as soon as there is enough of it, and ever after */
  push(text: string): AnswerRepetition | undefined
}

/** Maximum length of a period in words and punctuation marks, which are about as many tokens. */
const maxPeriod = 200
/** Maximum length of a word in characters. Longer ones, such as base64, count as several words. */
const maxWord = 64
/** Minimum characters of exact repetition. Data has long runs of equal numbers and marks. */
const minRepeated = { words: 400, data: 2000 }
/** A period with fewer natural-language words is data, such as `null, null`. */
const minWords = 3
/** Minimum number of copies of the period. */
const minCopies = { short: 6, long: 3 }
/** Periods of at least this many characters need fewer copies. */
const longPeriod = 200
/** Minimum number of nearly equal sentences that end an answer. Together they need `minSentenceLength` characters. */
const minSentences = 12
const minSentenceLength = 500
/** Number of preceding sentences that each sentence is compared with. */
const comparedSentences = 8

/**
 * Detects an answer that repeats itself: a period of up to 200 words that is repeated exactly, or sentences that differ
 * from an earlier one only in numbers or a word. Tables, logs, code and lists pass, because their lines differ in more
 * than that or are not sentences. Takes linear time and bounded memory.
 */
export function createRepetitionDetector(): RepetitionDetector {
  const periods = createPeriods()
  const sentences = createSentences()
  let rest = ''
  let length = 0
  let found: AnswerRepetition | undefined

  return {
    push(text) {
      if (found) return found
      const all = rest + text
      let at = length - rest.length
      length += text.length
      const words = all.match(word) ?? []
      // The last word may continue.
      rest = words.length > 0 && /[\p{L}\p{N}\s]$/u.test(all) ? (words.pop() ?? '') : ''
      if (rest.length > maxWord) rest = rest.slice(0, maxWord)
      for (const each of words) {
        const end = at + each.length
        found ??= periods.add(each, at, end) ?? sentences.add(each, at, end)
        if (found) return found
        at = end
      }
      return undefined
    },
  }
}

/** In scripts without spaces between words, each letter is a word. */
const word = /\s{1,64}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[\p{L}\p{M}_]{1,64}|\p{N}{1,64}|[^]/gu

/** Finds exact repetition. For each period it counts the words that equal the one a period before. */
function createPeriods() {
  /** Hashes of the last words. Numbers compare faster than strings. */
  const ring = new Int32Array(maxPeriod)
  const matched = new Int32Array(maxPeriod + 1)
  /** Where the matches of each period begin, in characters. */
  const begins = new Float64Array(maxPeriod + 1)
  /** Number of natural-language words up to each of the last positions. */
  const letters = new Int32Array(maxPeriod)
  let count = 0
  let withLetters = 0

  return {
    add(each: string, at: number, end: number): AnswerRepetition | undefined {
      if (/^\s/.test(each)) return undefined
      if (isWord.test(each)) withLetters += 1
      const hash = hashOf(each)
      const last = Math.min(maxPeriod, count)
      let slot = count % maxPeriod
      for (let period = 1; period <= last; period++) {
        slot = slot === 0 ? maxPeriod - 1 : slot - 1
        if (ring[slot] !== hash) {
          matched[period] = 0
          continue
        }
        const before = matched[period] ?? 0
        if (before === 0) begins[period] = at
        matched[period] = before + 1
        const copies = (before + 1) / period
        if (copies < minCopies.long) continue
        const begin = begins[period] ?? 0
        const repeated = end - begin
        const hasWords = withLetters - (letters[slot] ?? 0) >= minWords
        if (copies < (repeated / copies >= longPeriod ? minCopies.long : minCopies.short)) continue
        if (repeated >= (hasWords ? minRepeated.words : minRepeated.data)) return { keep: begin }
      }
      ring[count % maxPeriod] = hash
      letters[count % maxPeriod] = withLetters
      count += 1
      return undefined
    },
  }
}

/** A natural-language word, unlike `js`, `AAAI` or `0`. */
const isWord = /^(?:\p{Lo}|\p{Lu}?\p{Ll}{2})/u

function hashOf(text: string): number {
  let hash = text.length
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}

/** Finds sentences that differ from an earlier one only in numbers or a word. */
function createSentences() {
  let words: string[] = []
  let begin = 0
  let marks = 0
  let mayEnd = false
  const earlier: string[][] = []
  /** The nearly equal sentences so far: how many, their characters, and where the first of them begins. */
  let run = { sentences: 0, length: 0, begin: 0 }

  function ended(end: number): AnswerRepetition | undefined {
    const length = end - begin
    const isProse = words.length >= 4 && marks * 3 <= words.length
    if (isProse) {
      const isNear = earlier.some((other) => isNearlyEqual(other, words))
      if (!isNear) run = { sentences: 0, length: 0, begin: end }
      else
        run = {
          sentences: run.sentences + 1,
          length: run.length + length,
          begin: run.sentences === 0 ? begin : run.begin,
        }
      earlier.push(words)
      if (earlier.length > comparedSentences) earlier.shift()
    } else if (words.length >= 4) run = { sentences: 0, length: 0, begin: end }
    return run.sentences >= minSentences && run.length >= minSentenceLength ? { keep: run.begin } : undefined
  }

  function reset(at: number): void {
    words = []
    marks = 0
    mayEnd = false
    begin = at
  }

  return {
    add(each: string, at: number, end: number): AnswerRepetition | undefined {
      if (words.length === 0 && marks === 0) begin = at
      let result: AnswerRepetition | undefined
      if ((mayEnd && /^\s/.test(each)) || /^[。！？]$/.test(each)) {
        result = ended(end)
        reset(end)
      } else if (each.includes('\n')) {
        // A line that does not end a sentence is an item, a heading or code.
        if (words.length > 0 || marks > 0) run = { sentences: 0, length: 0, begin: end }
        reset(end)
      } else if (/^[.!?]$/.test(each)) mayEnd = true
      else if (/^\p{N}/u.test(each)) words.push('0')
      else if (/^\p{L}/u.test(each)) words.push(each)
      else if (!/^[\s,'’"]/.test(each)) marks += 1
      if (!/^[.!?"”)]/.test(each)) mayEnd = false
      if (words.length > maxPeriod) reset(end)
      return result
    },
  }
}

/** Whether two sentences have the same words except for one in six. */
function isNearlyEqual(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  let different = 0
  for (const [index, each] of one.entries()) if (each !== other[index]) different += 1
  return different <= Math.max(1, Math.floor(one.length / 6))
}
