import type { DescribedSymbol } from './candidatePassages.ts'
import { findAlikeLines, looksLikeCode } from './codeLocation.ts'
import { synonyms, extractTerms } from './descriptionTerms.ts'
import { rankCandidates, type RankedCandidate } from './rankCandidates.ts'

/** A ranked passage as returned to callers. Lines are 1-based and inclusive; `symbol` is a row id, null for a block. */
export interface RankedRange {
  startLine: number
  endLine: number
  symbol: number | null
  score: number
}

/** Result of matching a description against a file. */
export interface DescriptionMatch {
  /** The only passage that matches well. Null if there are several, or if only part of a definition is described. */
  chosen: RankedRange | null
  /** The best matches, best first. */
  candidates: RankedRange[]
  /** The best matching lines, if the description is code or refers to part of a definition, such as a condition. */
  lines: MatchingLine[]
  /** The description is code, so only lines with this text can be chosen. */
  isCode?: true
}

const maxCandidates = 8

/** Ranks the passages of a file and selects one if the match is clear. */
export function matchDescription(
  text: string,
  symbols: readonly (DescribedSymbol & { id: number })[],
  description: string,
): DescriptionMatch {
  if (looksLikeCode(description)) return matchCode(text, description)
  const ranked = rankCandidates(text, symbols, description)
  const isPart = describesPartOfDefinition(description)
  const best = clearlyBest(ranked)
  const chosen = best && isPart && isDefinition(best) ? null : best
  return {
    chosen: chosen && toRankedRange(chosen),
    candidates: ranked.slice(0, maxCandidates).map(toRankedRange),
    lines: isPart ? findMatchingLines(text, description) : [],
  }
}

function matchCode(text: string, code: string): DescriptionMatch {
  const { chosen, nearest } = findAlikeLines(text, code)
  return {
    chosen: chosen && {
      startLine: chosen.startLine,
      endLine: chosen.endLine,
      symbol: null,
      score: chosen.likeness,
    },
    candidates: [],
    lines: nearest.map((lines) => ({
      line: lines.startLine,
      text: `${lines.text.slice(0, 160).toWellFormed()} (${Math.floor(lines.likeness * 100)} % alike)`,
    })),
    isCode: true,
  }
}

/** Whether a passage is a multi-line definition, so that a description can refer to part of it. */
function isDefinition({ passage }: RankedCandidate): boolean {
  return passage.symbol !== undefined && passage.endLine > passage.startLine
}

function toRankedRange({ passage, score }: RankedCandidate<DescribedSymbol & { id: number }>): RankedRange {
  return { startLine: passage.startLine, endLine: passage.endLine, symbol: passage.symbol?.id ?? null, score }
}

/**
 * Minimum scores for acting on a match (measured with bench/smart-edit). Below `minScore`, matching words are
 * coincidental. If no word matches the name, only comment and body count, and long ones match many words.
 */
const minScore = 0.3
const minScoreWithoutName = 0.45
/**
 * Minimum score if at least three words match and no other passage is close; the unmatched words then occur nowhere in
 * the code.
 */
const minScoreUncontested = 0.22
const uncontestedMargin = 2
/**
 * Minimum ratio between the best and the second-best score. Similar passages (a function and its synchronous twin,
 * overloads, neighboring accessors) score within 10 to 20% of each other, so one word would decide. A wrong edit costs
 * more than a question.
 */
const margin = 1.25
/** Ratio for a passage nested in the other, since the outer one contains many of its words. */
const nestedMargin = 1.1
/**
 * Ratio for two passages with the same name (overloads, different spelling): the name is the best evidence but cannot
 * decide between them.
 */
const sameNameMargin = 2

/** Returns the passage that a description clearly refers to; null if there are several or none. */
function clearlyBest<S extends DescribedSymbol>(ranked: readonly RankedCandidate<S>[]): RankedCandidate<S> | null {
  const [best, ...others] = ranked
  if (!best) return null
  const uncontested =
    best.nameMatch !== 'none' &&
    best.matchedTerms >= 3 &&
    others.every((other) => best.score >= other.score * uncontestedMargin)
  if (best.score < (best.nameMatch === 'none' ? minScoreWithoutName : uncontested ? minScoreUncontested : minScore))
    return null
  // One matching word is a coincidence ("the code that deletes users" and `deleteProperty`), unless it is the
  // description's only specific word and the whole name.
  if (best.matchedTerms < 2 && (best.specificTerms > 1 || best.nameMatch !== 'full')) return null
  return others.every((other) => best.score >= other.score * requiredMargin(other, best)) ? best : null
}

function requiredMargin(other: RankedCandidate, best: RankedCandidate): number {
  if (isFunction(other) && isFunction(best) && sameName(other.passage.name, best.passage.name)) return sameNameMargin
  return encloses(other, best) ? nestedMargin : margin
}

function isFunction({ passage }: RankedCandidate): boolean {
  return passage.symbol?.kind === 'function' || passage.symbol?.kind === 'method'
}

/** Whether two names are equal apart from case and underscores. */
function sameName(one: string, other: string): boolean {
  return one.replaceAll('_', '').toLowerCase() === other.replaceAll('_', '').toLowerCase()
}

function encloses(outer: RankedCandidate, inner: RankedCandidate): boolean {
  return outer.passage.startLine <= inner.passage.startLine && outer.passage.endLine >= inner.passage.endLine
}

/** A line that shares words with a description. */
interface MatchingLine {
  line: number
  text: string
}

const maxLines = 5
const maxLineLength = 160
const statementPattern =
  /^(?:the )?(?:if|else|elif|unless|when|while|return|returns|throw|throws|raise|raises|case|switch|for each|for every|for loop|loops?|branch|condition|statement|call to|call of|calls? (?:that|which|where)|lines?|(?:first|last|next) (?:line|statement|call|branch|argument|parameter))\b/i
const partPattern =
  /^(?:(?:at|in|to|inside|within) )?(?:the )?(?:very )?(?:end|start|beginning|top|bottom|inside|body|signature|header|return type|return value|arguments?|parameters?|docstring|decorators?) (?:of|in)\b/i
const positionPattern = /^(?:just |right |directly )?(?:before|after|above|below|under|inside|within)\b/i

/**
 * Whether a description refers to part of a definition or to a position next to one: a condition, a statement, the
 * end of a function. Its words also match the enclosing definition, which must not be selected instead.
 */
function describesPartOfDefinition(description: string): boolean {
  const text = description.trim()
  return statementPattern.test(text) || partPattern.test(text) || positionPattern.test(text)
}

/** Returns the lines that share at least half of the words with a description, best first. */
function findMatchingLines(text: string, description: string): MatchingLine[] {
  const wanted = [...new Set(extractTerms(description))].map((term) => [term, ...synonyms(term)])
  const needed = Math.max(1, Math.ceil(wanted.length / 2))
  const scored = text.split('\n').flatMap((line, index) => {
    const own = new Set(extractTerms(line.slice(0, 1_000)))
    const shared = wanted.filter((group) => group.some((term) => own.has(term))).length
    return shared < needed
      ? []
      : [{ line: index + 1, text: line.trim().slice(0, maxLineLength).toWellFormed(), shared }]
  })
  return scored
    .toSorted((a, b) => b.shared - a.shared || a.line - b.line)
    .slice(0, maxLines)
    .map(({ line, text: excerpt }) => ({ line, text: excerpt }))
}
