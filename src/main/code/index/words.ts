import { once } from '../../../shared/async/once.ts'

// Splits text into words for the full-text index: `getUserName` becomes getusername, get, user, name.

const asciiWord = /[\w$]+/g
/** Chinese and Japanese have no spaces, so each character counts as a word. */
const anyWord = once(() => /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[[\p{L}\p{N}_$]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]+/gv)
/** Maximum UTF-16 units of a word; longer ones are hashes and encoded data. */
export const maxWordLength = 60
/** Caches split words, because source code repeats them. Lookups in a larger cache take longer. */
const maxCacheSize = 2048
const splitCache = new Map<string, readonly string[]>()

/**
 * Returns the words of a text in order, in lower case. An identifier yields itself and its parts.
 * @param maxRepeats maximum occurrences of a word in the result, so that repetition does not dominate the score
 */
export function wordsOf(text: string, maxRepeats = Infinity): string[] {
  const words: string[] = []
  collectWords(text, 1, maxRepeats, new Map(), words)
  return words
}

/**
 * Adds the words of a text to `words`, except those already counted `maxCount` times.
 * @param step how much an occurrence adds to its word's count
 * @param counts by word, possibly including other texts
 * @returns whether the text has words
 */
export function collectWords(
  text: string,
  step: number,
  maxCount: number,
  counts: Map<string, number>,
  words: string[],
): boolean {
  let hasWords = false
  for (const found of text.match(isAscii(text) ? asciiWord : anyWord()) ?? []) {
    for (const word of cachedSplit(found)) {
      hasWords = true
      const count = counts.get(word) ?? 0
      if (count >= maxCount) continue
      counts.set(word, count + step)
      words.push(word)
    }
  }
  return hasWords
}

function cachedSplit(found: string): readonly string[] {
  const before = splitCache.get(found)
  if (before) return before
  const parts = split(found)
  if (splitCache.size >= maxCacheSize) splitCache.clear()
  splitCache.set(found, parts)
  return parts
}

function split(found: string): string[] {
  if (found.length > maxWordLength) return []
  const lower = found.toLowerCase()
  const whole = /[_$]/.test(lower) ? lower.replaceAll(/[_$]/g, '') : lower
  if (whole === '' || (whole.length === 1 && isAscii(whole))) return []
  const parts = isAscii(found) ? identifierWords(found).filter((part) => part.length > 1) : []
  return parts.length > 1 ? [whole, ...parts] : [whole]
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/** Splits an identifier into lower-case words: `XMLHttpRequest2` into xml, http, request2. */
export function identifierWords(name: string): string[] {
  const words: string[] = []
  for (let at = 0; at < name.length;) {
    let end = at
    while (isUpper(name.charCodeAt(end))) end++
    // The last capital begins the next word.
    if (end > at + 1 && isLower(name.charCodeAt(end))) end--
    else if (end - at < 2 && (end === at || isLower(name.charCodeAt(end))))
      while (isLower(name.charCodeAt(end)) || isDigit(name.charCodeAt(end))) end++
    if (end > at) words.push(name.slice(at, end).toLowerCase())
    at = Math.max(end, at + 1)
  }
  return words
}

// No regular expression, because every name and every word of an indexed text is split.
const isUpper = (unit: number): boolean => unit >= 65 && unit <= 90
const isLower = (unit: number): boolean => unit >= 97 && unit <= 122
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57
