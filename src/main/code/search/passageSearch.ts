import type { PassageRow, PassageStore, WordHit } from '../index/passageStore.ts'
import type { SymbolKind } from '../index/symbolTypes.ts'
import type { QueryWords } from './searchWords.ts'

export interface PassageQuery {
  words: QueryWords
  /** Limits the search to these files, relative to the workspace. */
  paths?: readonly string[]
  /** Language ids (languages.ts). */
  languages?: readonly string[]
  kinds?: readonly SymbolKind[]
  /** Maximum number of passages. */
  limit: number
  /** Maximum number of passages per file. Default: no limit. */
  perFile?: number
}

export interface RankedPassage extends PassageRow {
  /** Comparable only within one result. */
  score: number
  /** Share of the query's words that the passage contains, from 0 to 1. */
  coverage: number
}

/** Maximum number of passages per word. More frequent words are insignificant. */
const maxHits = 3000
/** Weight of a variant of a query word. */
const variantWeight = 0.7
/** Weight of the file's best scores relative to the passage's. */
const fileWeight = 0.5

/** A passage with at least one word of the query. */
interface Candidate {
  hit: WordHit
  score: number
  words: number
}
/** A file with a passage that contains a word of the query. */
interface FileScore {
  path: string
  /** Whether path and language are loaded. */
  included: boolean
  /** Best score by word. */
  best: Map<string, number>
}

/**
 * Searches passages, best first. Each word is scored separately with BM25, so rare words weigh more. A passage with
 * more of the query's words ranks above one that repeats a single word. The rest of the file contributes, because an
 * answer is often spread over several passages.
 */
export function searchPassages(
  store: PassageStore,
  { words, paths, languages, kinds, limit, perFile = Infinity }: PassageQuery,
): RankedPassage[] {
  const inPaths = paths && new Set(paths)
  const inLanguages = languages && new Set(languages)
  const inKinds = kinds && new Set(kinds)
  const candidates = new Map<number, Candidate>()
  const files = new Map<number, FileScore>()

  /** @param counted whether the word counts toward coverage */
  function addHits(word: string, weight: number, counted: boolean): void {
    for (const hit of store.containing(word, maxHits)) {
      const file = fileOf(hit)
      if (!file.included) continue
      const score = hit.score * weight
      file.best.set(word, Math.max(score, file.best.get(word) ?? 0))
      const candidate = candidates.get(hit.id)
      if (candidate) {
        candidate.score += score
        if (counted) candidate.words += 1
      } else if (!inKinds || isOfKind(hit.id, inKinds)) {
        candidates.set(hit.id, { hit, score, words: counted ? 1 : 0 })
      }
    }
  }
  function fileOf(hit: WordHit): FileScore {
    const known = files.get(hit.file)
    if (known) return known
    const { path, language } = store.file(hit.file)
    const included = (!inPaths || inPaths.has(path)) && (!inLanguages || inLanguages.has(language))
    const file = { path, included, best: new Map<string, number>() }
    files.set(hit.file, file)
    return file
  }
  function isOfKind(id: number, wanted: ReadonlySet<SymbolKind>): boolean {
    const kind = store.kind(id)
    return kind !== null && wanted.has(kind)
  }
  for (const word of words.words) addHits(word, 1, true)
  for (const word of words.variants) addHits(word, variantWeight, false)

  const wordCount = Math.max(1, words.words.length)
  const queryWordSet = new Set(words.words)
  // Many passages share a file.
  const fileShares = new Map<number, { score: number; factor: number }>()
  for (const [id, { path, included, best }] of files) {
    if (!included) continue
    const ofFile = [...best.values()].reduce((sum, value) => sum + value, 0)
    const fileCoverage = words.words.filter((word) => best.has(word)).length / wordCount
    const score = ofFile * fileWeight * (0.5 + fileCoverage / 2)
    fileShares.set(id, { score, factor: fileCategoryFactor(path, queryWordSet) })
  }
  const total = ({ hit, score, words: matchedWords }: Candidate): number => {
    const share = fileShares.get(hit.file) ?? { score: 0, factor: 1 }
    return (score * (0.5 + matchedWords / wordCount / 2) + share.score) * share.factor
  }
  const ranked = [...candidates.values()]
    .map((candidate) => ({ candidate, score: total(candidate) }))
    .toSorted((a, b) => b.score - a.score || a.candidate.hit.id - b.candidate.hit.id)

  const taken = new Map<number, number>()
  const found: RankedPassage[] = []
  for (const {
    candidate: { hit, words: matchedWords },
    score,
  } of ranked) {
    if (found.length >= limit) break
    const times = taken.get(hit.file) ?? 0
    if (times >= perFile) continue
    taken.set(hit.file, times + 1)
    const row = store.row(hit.id)
    if (row)
      found.push({ ...row, score: Math.round(score * 100) / 100, coverage: Math.min(1, matchedWords / wordCount) })
  }
  return found
}

/** Files that rarely implement what they mention rank lower, unless the query contains one of `words`. */
const fileCategories: readonly { path: RegExp; factor: number; words: readonly string[] }[] = [
  {
    path: /(^|\/)(tests?|__tests__|specs?|__mocks__|fixtures?|testdata|examples?|bench(marks?)?)\/|[._-](test|spec|bench)\.\w+$|(^|\/)test_\w+\.py$/i,
    factor: 0.6,
    words: ['test', 'tests', 'tested', 'testing', 'spec', 'fixture', 'fixtures', 'example', 'examples', 'benchmark'],
  },
  { path: /\.d\.[mc]?ts$/i, factor: 0.7, words: ['declaration', 'declarations', 'typing', 'typings', 'types'] },
  {
    path: /\.(md|mdx|markdown|rst|txt|adoc)$/i,
    factor: 0.6,
    words: ['document', 'documents', 'documentation', 'documented', 'docs', 'readme', 'guide', 'changelog', 'license'],
  },
  {
    path: /(^|\/)(change(log|s)|history|release[-_ ]?notes|licen[cs]e)[^/]*$/i,
    factor: 0.5,
    words: ['changelog', 'changed', 'changes', 'history', 'release', 'license'],
  },
  {
    path: /\.min\.\w+$|\.map$|(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|cargo\.lock|poetry\.lock|go\.sum)$|\.(svg|csv|tsv|snap)$/i,
    factor: 0.3,
    words: ['lock', 'lockfile', 'minified', 'snapshot', 'svg', 'csv'],
  },
]

function fileCategoryFactor(path: string, queryWords: ReadonlySet<string>): number {
  return fileCategories.reduce(
    (factor, category) =>
      category.path.test(path) && !category.words.some((word) => queryWords.has(word))
        ? factor * category.factor
        : factor,
    1,
  )
}
