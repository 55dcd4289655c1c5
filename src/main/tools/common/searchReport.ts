import type { ToolView } from '../../../shared/tool.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import type { TextResult } from '../../search/search.ts'

/** Limits a number to its cap. `note` reports that it was lowered. */
export function capped(name: string, value: number, cap: number): { value: number; note: string } {
  return value <= cap
    ? { value, note: '' }
    : { value: cap, note: `(\`${name}\` ${value} is above the cap, so ${cap} was used.)` }
}

/** Joins the non-empty parts of a result with blank lines. */
export function sections(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Reports how many matches are missing and how to narrow the search. Empty if all are shown. */
export function moreMatches(result: TextResult, narrow: string): string {
  const { matches, total, atLeast, truncated, files } = result
  if (!truncated) return ''
  const least = atLeast ? 'at least ' : ''
  return `(showing ${formatNumber(matches.length)} of ${least}${plural(total, 'matching line')} in ${least}${plural(files, 'file')}: ${least}${formatNumber(total - matches.length)} more. To narrow: ${narrow})`
}

/** Reports files that were not searched. Empty if there are none. */
export function notSearched(skipped: readonly string[], binary: readonly string[] = []): string {
  const unreadable =
    skipped.length === 0
      ? ''
      : `(Not searched: ${skipped.slice(0, 5).join('; ')}${skipped.length > 5 ? `; and ${skipped.length - 5} more` : ''}.)`
  const halves =
    binary.length === 0
      ? ''
      : `(Binary, so not searched completely: ${binary.slice(0, 5).join(', ')}${binary.length > 5 ? ` and ${binary.length - 5} more` : ''}.)`
  return [unreadable, halves].filter((line) => line !== '').join('\n')
}

/** Describes what a search skips, for results without matches. */
export function leftOut(of: 'contents' | 'names', includeDependencies = false): string {
  const kinds = of === 'contents' ? 'Hidden, binary and git-ignored files' : 'Hidden and git-ignored entries'
  return `${kinds}${includeDependencies ? '' : ' and dependency folders (node_modules, vendor, …)'} were skipped.`
}

export function matchesView(pattern: string, { matches, total, truncated }: TextResult): ToolView {
  return { kind: 'matches', pattern, matches, total, truncated }
}
