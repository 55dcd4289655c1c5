import type { SymbolKind } from '../index/symbolTypes.ts'
import { collectCandidates, type DescribedSymbol, type CandidatePassage } from './candidatePassages.ts'
import { splitCompound, synonyms, countSpecificTerms, extractTerms } from './descriptionTerms.ts'

export interface RankedCandidate<S extends DescribedSymbol = DescribedSymbol> {
  passage: CandidatePassage<S>
  /**
   * From 0 to 1.5: the share of the description that matches the passage, plus the share of its name that matches the
   * description.
   */
  score: number
  /** Number of matching terms of the description. */
  matchedTerms: number
  /** Number of the description's terms that are specific to its subject. */
  specificTerms: number
  /** Whether the description contains the passage's name. */
  nameMatch: 'full' | 'partial' | 'none'
}

/** Weight of a term by field. Names describe a definition best; bodies mention many unrelated things. */
const weights = { name: 4, doc: 2, signature: 1.2, enclosing: 0.6, body: 0.5 } as const
type Field = keyof typeof weights
const fields = ['name', 'doc', 'signature', 'enclosing', 'body'] as const satisfies readonly Field[]
/** Term weight that yields half of the maximum score (k in BM25). */
const saturation = 1.5
/** Length normalization per field (b in BM25). Names are scored by coverage instead. */
const lengthShare = { name: 0, doc: 0.5, signature: 0.5, enclosing: 0.5, body: 0.5 } as const
/** Weight of a synonym relative to an exact match. */
const synonymShare = 0.6
/** Weight of a term that occurs nowhere in the file. Favors no passage, but lowers all scores. */
const unknownTermShare = 0.4
/** Maximum bonus for a name that the description contains in full. */
const nameBonus = 0.5
/** Factor for a symbol whose kind is not the kind that the description names. */
const otherKindFactor = 0.6
/** Factor for a passage without the text that the description quotes. */
const missingQuoteFactor = 0.6
/** Factor for values if the description names no kind: people describe behavior, but refer to values by name. */
const valueFactor = 0.85
const valueKinds: readonly (SymbolKind | undefined)[] = ['variable', 'constant', 'property', 'enum_member']

const functionKinds: readonly SymbolKind[] = ['function', 'method']
const kindsByWord: Readonly<Record<string, readonly SymbolKind[]>> = {
  function: functionKinds,
  functions: functionKinds,
  method: functionKinds,
  handler: functionKinds,
  helper: functionKinds,
  exception: ['class', 'struct'],
  class: ['class', 'struct', 'interface', 'trait', 'impl'],
  struct: ['struct', 'class'],
  interface: ['interface', 'trait', 'type'],
  trait: ['trait', 'interface'],
  enum: ['enum'],
  constant: ['constant', 'variable', 'enum_member'],
  variable: ['variable', 'constant', 'property'],
  // Grammars report getters as methods.
  property: ['property', 'method', 'variable', 'constant'],
  field: ['property', 'variable'],
  type: ['type', 'interface', 'class', 'struct', 'enum'],
}
/** Words that refer to a block inside a function. */
const innerPartWords =
  /\b(?:loops?|branch|branches|conditions?|comments?|imports?|blocks?|statements?|catch|paragraph)\b/i

/**
 * Ranks the passages of a file by how well they match a description, best first. Omits passages without a common word.
 */
export function rankCandidates<S extends DescribedSymbol>(
  text: string,
  symbols: readonly S[],
  description: string,
): RankedCandidate<S>[] {
  const passages = collectCandidates(text, symbols, innerPartWords.test(description))
  const vocabulary = new Set(extractTerms(text))
  const wanted = [...new Set(extractTerms(description).flatMap((term) => splitCompound(term, vocabulary)))]
  if (wanted.length === 0 || passages.length === 0) return []
  const counted = passages.map((passage) => countTerms(passage, vocabulary))
  const average = averageLengths(counted)
  const passagesWithTerm = new Map<string, number>()
  for (const one of counted)
    for (const term of one.all) passagesWithTerm.set(term, (passagesWithTerm.get(term) ?? 0) + 1)
  const rarity = (term: string) =>
    Math.log(
      1 + (passages.length - (passagesWithTerm.get(term) ?? 0) + 0.5) / ((passagesWithTerm.get(term) ?? 0) + 0.5),
    )
  const wantedTerms = wanted.map((term) => {
    const alike = synonyms(term).filter((other) => passagesWithTerm.has(other))
    const known = passagesWithTerm.has(term) || alike.length > 0
    const rarest = passagesWithTerm.has(term) ? rarity(term) : Math.max(0, ...alike.map(rarity))
    return { term, alike, weight: known ? rarest : unknownTermShare * Math.log(1 + passages.length) }
  })
  const specificTerms = countSpecificTerms(wanted)
  const total = wantedTerms.reduce((sum, { weight }) => sum + weight, 0)
  const kinds = kindsNamedIn(description)
  const quoted = [...description.matchAll(/["`“]([^"`“”]{2,})["`”]/g)].map(([, text = '']) => text)

  function rank(passage: CandidatePassage<S>, words: TermCounts): RankedCandidate<S> {
    let score = 0
    let matched = 0
    let weightInName = 0
    const namedTerms = new Set<string>()
    for (const { term, alike, weight } of wantedTerms) {
      const own = termWeight(words, term, average)
      const other = Math.max(0, ...alike.map((one) => termWeight(words, one, average))) * synonymShare
      const best = Math.max(own, other)
      score += (weight * best) / (best + saturation)
      if (best > 0) matched += 1
      const inName = [term, ...alike].filter((one) => words.name.has(one))
      for (const one of inName) namedTerms.add(one)
      if (inName.length > 0) weightInName += weight
    }
    const names = [...words.name.keys()]
    const whole = names.reduce((sum, term) => sum + rarity(term), 0)
    const covered = names.reduce((sum, term) => sum + (namedTerms.has(term) ? rarity(term) : 0), 0)
    const kind = passage.symbol?.kind
    const kindFactor =
      kinds === undefined
        ? valueKinds.includes(kind)
          ? valueFactor
          : 1
        : kind !== undefined && kinds.includes(kind)
          ? 1
          : otherKindFactor
    // Also compares the other way round, because one word of a long description can cover a whole short name.
    const bonus = whole > 0 ? (nameBonus * (covered / whole) * (1 + weightInName / total)) / 2 : 0
    const nameMatch = namedTerms.size === 0 ? 'none' : namedTerms.size === names.length ? 'full' : 'partial'
    const quotes = quoted.every((one) => containsText(passage, one)) ? 1 : missingQuoteFactor
    return {
      passage,
      matchedTerms: matched,
      specificTerms,
      nameMatch,
      score: (score / total) * (1 + bonus) * kindFactor * quotes,
    }
  }

  return passages
    .flatMap((passage, index) => {
      const words = counted[index]
      return words ? [rank(passage, words)] : []
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.passage.startLine - b.passage.startLine)
}

function containsText({ name, doc, signature, body }: CandidatePassage, text: string): boolean {
  return [name, doc, signature, body].some((part) => part.includes(text))
}

type TermCounts = Record<Field, Map<string, number>> & { all: Set<string> }

function countTerms(passage: CandidatePassage, vocabulary: ReadonlySet<string>): TermCounts {
  const of = (text: string) => {
    const counts = new Map<string, number>()
    for (const term of extractTerms(text).flatMap((one) => splitCompound(one, vocabulary)))
      counts.set(term, (counts.get(term) ?? 0) + 1)
    return counts
  }
  const { name, doc, signature, enclosing, body } = passage
  const words = { name: of(name), doc: of(doc), signature: of(signature), enclosing: of(enclosing), body: of(body) }
  return { ...words, all: new Set(fields.flatMap((field) => [...words[field].keys()])) }
}

function averageLengths(counted: readonly TermCounts[]): Record<Field, number> {
  const mean = (field: Field) => {
    const lengths = counted.map((words) => lengthOf(words[field])).filter((length) => length > 0)
    return lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  }
  return {
    name: mean('name'),
    doc: mean('doc'),
    signature: mean('signature'),
    enclosing: mean('enclosing'),
    body: mean('body'),
  }
}

function lengthOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const times of counts.values()) sum += times
  return sum
}

/** Returns the weight of a term in a passage, summed over its fields. */
function termWeight(words: TermCounts, term: string, average: Record<Field, number>): number {
  let sum = 0
  for (const field of fields) {
    const times = words[field].get(term)
    if (times === undefined) continue
    const share = lengthShare[field]
    const length = 1 - share + (share * lengthOf(words[field])) / (average[field] || 1)
    sum += (weights[field] * (1 + Math.log(times))) / length
  }
  return sum
}

/** Returns the symbol kinds that match the first kind named in a description. */
function kindsNamedIn(description: string): readonly SymbolKind[] | undefined {
  for (const word of description.toLowerCase().match(/[a-z]+/g) ?? []) {
    const kinds = Object.hasOwn(kindsByWord, word) ? kindsByWord[word] : undefined
    if (kinds) return kinds
  }
  return undefined
}
