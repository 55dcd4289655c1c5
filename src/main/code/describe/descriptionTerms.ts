import { identifierWords } from '../search/nameScore.ts'
import { abbreviations } from '../search/searchWords.ts'

/** Words that say nothing of a place: small words, and those that any code could be called. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its of to in on at by for from with without into onto off out up as and or nor but not no if then than ' +
    'is are was were be been being do does did has have had will would can could should may might must which what who whose where when ' +
    'why how once there here we our you your they their i me my he she us so such like some any all each every other another same only just also ' +
    'function functions method methods class classes struct interface property properties enum constant variable type module ' +
    'helper code place part block section thing bit piece decides used uses using gets called calls'
  ).split(' '),
)

/** What any code may be said to do with what it is about: that nothing in the file has this word says nothing against a place. */
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
 * Words that mean the same to people and programmers, beside the abbreviations. Narrow on purpose: a word that may mean two things
 * (`write`, `set`, `run`) would find too much.
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
 * A word without its ending, so that `parses`, `parsed`, `parsing` and `parser` meet. Light: what is left need be no word, only the same
 * for the same (after Porter's first step, and the endings of doers and doings). Gentler than `stem` of ../words.ts, which compares
 * single lines: here two words that meet by mistake may decide where an edit goes.
 */
export function stem(word: string): string {
  // No word has as many letters, and the expressions look back over all of them.
  if (word.length <= 3 || word.length > 60) return word
  let left = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x)es$/, '')
    .replace(/(?<![us])s$/, '')
  left = left
    .replace(/(?<=[aeiouy].*[^aeiou]|[^aeiou]{2}.*[aeiou].*)(?:ing|ed)$/, '')
    .replace(/(?<=[aeiouy].*)(?:ers?|or|ion)$/, '')
  left = left
    .replace(/([bdfgmnprt])\1$/, '$1')
    .replace(/e$/, '')
    .replace(/(?<=.{3})is$/, 'iz')
  return left.length >= 2 ? left : word
}

const genericStems: ReadonlySet<string> = new Set(genericVerbs.map(stem))

/** How many of a description's stems say what it is about. */
export function countSpecificTerms(stems: readonly string[]): number {
  return stems.filter((one) => !genericStems.has(one)).length
}

/** Letters. */
const minHalfLength = 3
const synonymStems = new Map<string, Set<string>>()
for (const group of [...synonymGroups, ...Object.entries(abbreviations)]) {
  const stems = group.map(stem)
  for (const one of stems) synonymStems.set(one, new Set([...(synonymStems.get(one) ?? []), ...stems]))
}

/** Stems that mean about the same as a stem, itself left out. */
export function synonyms(stemmed: string): readonly string[] {
  return [...(synonymStems.get(stemmed) ?? [])].filter((other) => other !== stemmed)
}

/** The stems of a text or name in their order, empty words left out. Names are split at humps and underscores; digits stay with letters. */
export function extractTerms(text: string): string[] {
  return identifierWords(text)
    .filter((word) => word.length > 1 && !stopWords.has(word))
    .map(stem)
}

/**
 * The two words that a term is written together of (`getproc`, `nonblock`), where the same file knows both of them alone; else the
 * term itself.
 */
export function splitCompound(term: string, vocabulary: ReadonlySet<string>): string[] {
  for (let at = minHalfLength; at <= term.length - minHalfLength; at++) {
    const pair = [term.slice(0, at), term.slice(at)]
    if (pair.every((half) => vocabulary.has(half))) return pair
  }
  return [term]
}
