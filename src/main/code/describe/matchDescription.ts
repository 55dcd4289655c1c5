import { describedLines, namesPart, type DescribedLine } from './matchingLines.ts'
import type { DescribedSymbol } from './candidatePassages.ts'
import { rankPassages, type Ranked } from './rankCandidates.ts'

/** A passage as an answer shows it. Lines are 1-based, inclusive; `symbol` is the row's id, null for a block. */
export interface RankedPlace {
  startLine: number
  endLine: number
  symbol: number | null
  score: number
}

/** What a description leads to. */
export interface DescribedPlace {
  /** The one place that is clearly meant. */
  chosen: RankedPlace | null
  /** The best, best first, for a person or model to choose from. */
  candidates: RankedPlace[]
  /** The description names a part of a definition, such as a condition: the lines that fit it best. */
  lines: DescribedLine[]
}

const candidatesTold = 8

/** Ranks the passages of a file and chooses. Pure. */
export function describedPlace(
  text: string,
  symbols: readonly (DescribedSymbol & { id: number })[],
  description: string,
): DescribedPlace {
  const ranked = rankPassages(text, symbols, description)
  const part = namesPart(description)
  const best = clearlyBest(ranked)
  const chosen = best && part && isDefinition(best) ? null : best
  return {
    chosen: chosen && told(chosen),
    candidates: ranked.slice(0, candidatesTold).map(told),
    lines: part ? describedLines(text, description) : [],
  }
}

/** Whether a place has a body, of which a description may mean a part. */
function isDefinition({ passage }: Ranked): boolean {
  return passage.symbol !== undefined && passage.endLine > passage.startLine
}

function told({ passage, score }: Ranked<DescribedSymbol & { id: number }>): RankedPlace {
  return { startLine: passage.startLine, endLine: passage.endLine, symbol: passage.symbol?.id ?? null, score }
}

/**
 * When a description may be acted on (measured with bench/smart-edit). Below `enough` the best place shares some words with the
 * description by accident. Where its name shares none of them only the comment and the body speak for it, and long ones speak for much.
 */
const enough = 0.3
const enoughUnnamed = 0.45
/** Enough where three words or more are there and nothing else comes near: the others are then words that the code never uses. */
const enoughAlone = 0.22
const farAbove = 2
/**
 * How far the best must stand above the next. Places that fit alike (a function and its synchronous twin, overloads, accessors side
 * by side) score within a tenth or two of each other, so that one word by chance decides; a wrong edit costs more than a question.
 */
const margin = 1.25
/** Of what lies inside the other, for what encloses a place has many of its words around it. */
const nestedMargin = 1.1
/** Of one whose name says the same (an overload, or the same in another spelling): then the name, the best evidence, decides nothing. */
const namesakeMargin = 2

/** The one place that a description clearly means, or null where it may mean several or none. */
export function clearlyBest<S extends DescribedSymbol>(ranked: readonly Ranked<S>[]): Ranked<S> | null {
  const [best, ...others] = ranked
  if (!best) return null
  const alone = best.named !== 'not' && best.words >= 3 && others.every((other) => best.score >= other.score * farAbove)
  if (best.score < (best.named === 'not' ? enoughUnnamed : alone ? enoughAlone : enough)) return null
  // One word in common is an accident ("the code that deletes users" and `deleteProperty`), unless it is all that is told and the
  // whole name.
  if (best.words < 2 && (best.telling > 1 || best.named !== 'whole')) return null
  return others.every((other) => best.score >= other.score * marginOver(other, best)) ? best : null
}

function marginOver(other: Ranked, best: Ranked): number {
  if (isFunction(other) && isFunction(best) && sameName(other.passage.name, best.passage.name)) return namesakeMargin
  return encloses(other, best) ? nestedMargin : margin
}

function isFunction({ passage }: Ranked): boolean {
  return passage.symbol?.kind === 'function' || passage.symbol?.kind === 'method'
}

/** Whether two names differ in case and underscores at most. */
function sameName(one: string, other: string): boolean {
  return one.replaceAll('_', '').toLowerCase() === other.replaceAll('_', '').toLowerCase()
}

function encloses(outer: Ranked, inner: Ranked): boolean {
  return outer.passage.startLine <= inner.passage.startLine && outer.passage.endLine >= inner.passage.endLine
}
