import { once } from '../../../shared/async/once.ts'
import { identifierWords } from './nameScore.ts'

// Splits text into words for the full-text index: `getUserName` becomes getusername, get, user, name.

const asciiWord = /[\w$]+/g
/** Chinese and Japanese have no spaces, so each character counts as a word. */
const anyWord = once(() => /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[[\p{L}\p{N}_$]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]+/gv)
/** Maximum UTF-16 units of a word; longer ones are hashes and encoded data. */
const maxWordLength = 60
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

/** Words that are too common in questions to find a passage. */
const stopWords: ReadonlySet<string> = new Set(
  `a about after all also an and any are as at be because been before being between both but by can could did do does doing done down
  each else every find for from get gets had has have having here how i if in instead into is it its just like make makes made
  many may me more most much must my need no nor not of off on one only or other our out over own per please project shall she
  should show so some such take takes taken tell than that the their them then there these they thing things this those through to
  too under until up us use used uses using very via want was way we were what when where whether which while who whose why will
  with without work works would you your`.split(/\s+/),
)

/** Words and their common abbreviations in code. */
export const abbreviations: Readonly<Record<string, string>> = {
  administrator: 'admin',
  allocate: 'alloc',
  application: 'app',
  argument: 'arg',
  arguments: 'args',
  asynchronous: 'async',
  attribute: 'attr',
  attributes: 'attrs',
  authenticate: 'auth',
  authentication: 'auth',
  authorization: 'auth',
  authorisation: 'auth',
  calculate: 'calc',
  command: 'cmd',
  configuration: 'config',
  configure: 'config',
  connection: 'conn',
  context: 'ctx',
  database: 'db',
  decrement: 'dec',
  development: 'dev',
  dependencies: 'deps',
  destination: 'dest',
  dictionary: 'dict',
  directory: 'dir',
  directories: 'dirs',
  document: 'doc',
  documentation: 'docs',
  environment: 'env',
  error: 'err',
  execute: 'exec',
  expression: 'expr',
  extension: 'ext',
  function: 'fn',
  generate: 'gen',
  identifier: 'id',
  image: 'img',
  increment: 'inc',
  information: 'info',
  initialise: 'init',
  initialize: 'init',
  language: 'lang',
  library: 'lib',
  maximum: 'max',
  message: 'msg',
  messages: 'msgs',
  minimum: 'min',
  miscellaneous: 'misc',
  navigation: 'nav',
  number: 'num',
  object: 'obj',
  package: 'pkg',
  packages: 'pkgs',
  parameter: 'param',
  parameters: 'params',
  password: 'passwd',
  pointer: 'ptr',
  previous: 'prev',
  production: 'prod',
  properties: 'props',
  property: 'prop',
  reference: 'ref',
  repository: 'repo',
  request: 'req',
  response: 'res',
  regular: 'regex',
  sequence: 'seq',
  server: 'srv',
  source: 'src',
  specification: 'spec',
  statement: 'stmt',
  string: 'str',
  synchronise: 'sync',
  synchronize: 'sync',
  synchronous: 'sync',
  temporary: 'tmp',
  utilities: 'utils',
  utility: 'util',
  value: 'val',
  variable: 'var',
  variables: 'vars',
}

/** The words of a search query. */
export interface QueryWords {
  /** Significant words without duplicates; all words if none is significant. */
  words: string[]
  /**
   * Spellings used in code: adjacent words joined (`web socket` as `websocket`), abbreviations (`env` for
   * `environment`).
   */
  variants: string[]
}

const maxQueryWords = 24

/** Extracts the search words from a question, names, or both. */
export function queryWords(question: string): QueryWords {
  const all = wordsOf(question)
  const significant = all.filter((word) => !stopWords.has(word))
  const words = [...new Set(significant.length > 0 ? significant : all)].slice(0, maxQueryWords)
  const known = new Set(words)
  const joined = all.flatMap((word, index) => {
    const next = all[index + 1]
    if (next === undefined || stopWords.has(word) || stopWords.has(next) || word.startsWith(next)) return []
    return word.length + next.length < maxWordLength ? [word + next] : []
  })
  const abbreviated = words.flatMap((word) => (Object.hasOwn(abbreviations, word) ? [abbreviations[word] ?? word] : []))
  const variants = [...new Set([...abbreviated, ...joined])].filter((variant) => !known.has(variant))
  return { words, variants: variants.slice(0, maxQueryWords) }
}

/** Removes common endings for comparing single lines with a question: `parsing`, `parsed` and `parses` match. */
export function stem(word: string): string {
  return word.length <= 4
    ? word.replace(/s$/, '')
    : word.replace(/(?:ations?|ings?|ment|ers?|ors?|ed|es|ly|e|s|y|ies)$/, '')
}
