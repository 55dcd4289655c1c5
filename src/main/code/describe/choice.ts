import type { DescribedSymbol } from './passages.ts'
import type { Ranked } from './ranking.ts'

/**
 * When a description may be acted on (measured with bench/smart-edit). Below `enough` the best place shares some words with the
 * description by accident. Where its name shares none of them only the comment and the body speak for it, and long ones speak for much.
 */
const enough = 0.3
const enoughUnnamed = 0.45
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
  if (!best || best.score < (best.named === 'not' ? enoughUnnamed : enough)) return null
  // One word in common is an accident, unless it is the whole name.
  if (best.words < 2 && best.named !== 'whole') return null
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
