import { maxWordLength, wordsOf } from '../index/words.ts'

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
