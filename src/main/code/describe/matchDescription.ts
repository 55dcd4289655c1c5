import { findMatchingLines, describesPart, type MatchingLine } from './matchingLines.ts'
import type { DescribedSymbol } from './candidatePassages.ts'
import { rankCandidates, type RankedCandidate } from './rankCandidates.ts'

/** A passage as an answer shows it. Lines are 1-based, inclusive; `symbol` is the row's id, null for a block. */
export interface RankedRange {
  startLine: number
  endLine: number
  symbol: number | null
  score: number
}

/** What a description leads to. */
export interface DescriptionMatch {
  /** The one place that is clearly meant. */
  chosen: RankedRange | null
  /** The best, best first, for a person or model to choose from. */
  candidates: RankedRange[]
  /** The description names a part of a definition, such as a condition: the lines that fit it best. */
  lines: MatchingLine[]
}

const maxCandidates = 8

/** Ranks the passages of a file and chooses. Pure. */
export function matchDescription(
  text: string,
  symbols: readonly (DescribedSymbol & { id: number })[],
  description: string,
): DescriptionMatch {
  const ranked = rankCandidates(text, symbols, description)
  const part = describesPart(description)
  const best = clearlyBest(ranked)
  const chosen = best && part && isDefinition(best) ? null : best
  return {
    chosen: chosen && toRankedRange(chosen),
    candidates: ranked.slice(0, maxCandidates).map(toRankedRange),
    lines: part ? findMatchingLines(text, description) : [],
  }
}

/** Whether a place has a body, of which a description may mean a part. */
function isDefinition({ passage }: RankedCandidate): boolean {
  return passage.symbol !== undefined && passage.endLine > passage.startLine
}

function toRankedRange({ passage, score }: RankedCandidate<DescribedSymbol & { id: number }>): RankedRange {
  return { startLine: passage.startLine, endLine: passage.endLine, symbol: passage.symbol?.id ?? null, score }
}

/**
 * When a description may be acted on (measured with bench/smart-edit). Below `enough` the best place shares some words with the
 * description by accident. Where its name shares none of them only the comment and the body speak for it, and long ones speak for much.
 */
const minScore = 0.3
const minScoreWithoutName = 0.45
/** Enough where three words or more are there and nothing else comes near: the others are then words that the code never uses. */
const minScoreUncontested = 0.22
const uncontestedMargin = 2
/**
 * How far the best must stand above the next. Places that fit alike (a function and its synchronous twin, overloads, accessors side
 * by side) score within a tenth or two of each other, so that one word by chance decides; a wrong edit costs more than a question.
 */
const margin = 1.25
/** Of what lies inside the other, for what encloses a place has many of its words around it. */
const nestedMargin = 1.1
/** Of one whose name says the same (an overload, or the same in another spelling): then the name, the best evidence, decides nothing. */
const sameNameMargin = 2

/** The one place that a description clearly means, or null where it may mean several or none. */
export function clearlyBest<S extends DescribedSymbol>(
  ranked: readonly RankedCandidate<S>[],
): RankedCandidate<S> | null {
  const [best, ...others] = ranked
  if (!best) return null
  const alone =
    best.named !== 'not' && best.words >= 3 && others.every((other) => best.score >= other.score * uncontestedMargin)
  if (best.score < (best.named === 'not' ? minScoreWithoutName : alone ? minScoreUncontested : minScore)) return null
  // One word in common is an accident ("the code that deletes users" and `deleteProperty`), unless it is all that is told and the
  // whole name.
  if (best.words < 2 && (best.telling > 1 || best.named !== 'whole')) return null
  return others.every((other) => best.score >= other.score * requiredMargin(other, best)) ? best : null
}

function requiredMargin(other: RankedCandidate, best: RankedCandidate): number {
  if (isFunction(other) && isFunction(best) && sameName(other.passage.name, best.passage.name)) return sameNameMargin
  return encloses(other, best) ? nestedMargin : margin
}

function isFunction({ passage }: RankedCandidate): boolean {
  return passage.symbol?.kind === 'function' || passage.symbol?.kind === 'method'
}

/** Whether two names differ in case and underscores at most. */
function sameName(one: string, other: string): boolean {
  return one.replaceAll('_', '').toLowerCase() === other.replaceAll('_', '').toLowerCase()
}

function encloses(outer: RankedCandidate, inner: RankedCandidate): boolean {
  return outer.passage.startLine <= inner.passage.startLine && outer.passage.endLine >= inner.passage.endLine
}
