import { identifierWords } from '../index/words.ts'
import { abbreviations } from '../search/searchWords.ts'

/** Words ignored in descriptions: function words, and words that apply to any code. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its of to in on at by for from with without into onto off out up as and or nor but not no if then than ' +
    'is are was were be been being do does did has have had will would can could should may might must which what who whose where when ' +
    'why how once there here we our you your they their i me my he she us so such like some any all each every other another same only just also ' +
    'function functions method methods class classes struct interface property properties enum constant variable type module ' +
    'helper code place part block section thing bit piece decides used uses using gets called calls'
  ).split(' '),
)

/** Verbs that apply to almost any code. Their absence from a file is not evidence against a match. */
const genericVerbs = [
  'handle',
  'perform',
  'implement',
  'manage',
  'process',
  'deal',
  'define',
  'declare',
  'contain',
  'responsible',
  'compute',
  'provide',
]

/**
 * Synonyms in code and in natural language, in addition to the abbreviations. Deliberately short: words with two
 * meanings (`write`, `set`, `run`) would match too much.
 */
const synonymGroups: readonly (readonly string[])[] = [
  ['remove', 'delete', 'erase', 'unlink'],
  ['create', 'make', 'build', 'construct', 'generate'],
  ['get', 'obtain', 'retrieve', 'fetch', 'read'],
  ['check', 'test', 'validate', 'verify', 'assert'],
  ['error', 'exception'],
  ['start', 'begin', 'launch'],
  ['stop', 'end', 'terminate', 'finish'],
  ['emit', 'fire', 'dispatch', 'trigger'],
  ['change', 'modify', 'alter', 'update'],
  ['refresh', 'update', 'renew'],
  ['release', 'unlock', 'free'],
  ['refuse', 'reject', 'deny', 'abort'],
  ['keep', 'store', 'save'],
  ['folder', 'directory'],
  ['mac', 'macos', 'osx', 'darwin'],
  ['number', 'count'],
  ['string', 'text'],
  ['length', 'size'],
  ['maximum', 'limit'],
  ['initialise', 'setup'],
  ['authenticate', 'login'],
  ['compare', 'comparison'],
  ['temporary', 'temp'],
  ['callback', 'cb'],
  ['length', 'len'],
  ['address', 'addr'],
  ['character', 'char'],
  ['index', 'idx'],
  ['buffer', 'buf'],
  ['compare', 'cmp'],
  ['process', 'proc'],
  ['descriptor', 'fd'],
  ['button', 'btn'],
  ['random', 'rand'],
  ['settings', 'config'],
]

/**
 * Reduces a word to its stem, so that `parses`, `parsed`, `parsing` and `parser` match. The stem need not be a word.
 * More conservative than `stem` in searchWords.ts, because a false match can misplace an edit.
 */
export function stem(word: string): string {
  // Longer tokens are not words, and the regular expressions backtrack over the whole token.
  if (word.length <= 3 || word.length > 60) return word
  let reduced = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<![us])s$/, '')
  reduced = reduced
    .replace(/(?<=[aeiouy].*[^aeiou]|[^aeiou]{2}.*[aeiou].*)(?:ing|ed)$/, '')
    .replace(/(?<=[aeiouy].*)(?:ers?|or|ion)$/, '')
  reduced = reduced
    .replace(/([bdfgmnprt])\1$/, '$1')
    .replace(/e$/, '')
    .replace(/(?<=.{3})is$/, 'iz')
  return reduced.length >= 2 ? reduced : word
}

const genericStems: ReadonlySet<string> = new Set(genericVerbs.map(stem))

/** Counts the stems of a description that are specific to its subject. */
export function countSpecificTerms(stems: readonly string[]): number {
  return stems.filter((one) => !genericStems.has(one)).length
}

/** Minimum characters of each half of a compound. */
const minHalfLength = 3
const synonymStems = new Map<string, Set<string>>()
for (const group of [...synonymGroups, ...Object.entries(abbreviations)]) {
  const stems = group.map(stem)
  for (const one of stems) synonymStems.set(one, new Set([...(synonymStems.get(one) ?? []), ...stems]))
}

/** Returns the stems with a similar meaning, without the stem itself. */
export function synonyms(stemmed: string): readonly string[] {
  return [...(synonymStems.get(stemmed) ?? [])].filter((other) => other !== stemmed)
}

/**
 * Returns the stems of a text or name in order, without stop words. Splits names at capitals and underscores; digits
 * stay with the letters before them.
 */
export function extractTerms(text: string): string[] {
  return identifierWords(text)
    .filter((word) => word.length > 1 && !stopWords.has(word))
    .map(stem)
}

/**
 * Splits a compound (`getproc`, `nonblock`) into two words that both occur alone in the file; otherwise returns the
 * term itself.
 */
export function splitCompound(term: string, vocabulary: ReadonlySet<string>): string[] {
  for (let at = minHalfLength; at <= term.length - minHalfLength; at++) {
    const pair = [term.slice(0, at), term.slice(at)]
    if (pair.every((half) => vocabulary.has(half))) return pair
  }
  return [term]
}
