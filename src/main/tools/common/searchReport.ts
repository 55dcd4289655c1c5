import type { ToolView } from '../../../shared/tool.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import type { TextResult } from '../../search/search.ts'

/** A number above its cap is lowered to it, and the result has to say so. */
export function capped(name: string, value: number, cap: number): { value: number; note: string } {
  return value <= cap
    ? { value, note: '' }
    : { value: cap, note: `(\`${name}\` ${value} is above the cap, so ${cap} was used.)` }
}

/** The parts of an answer that hold something, a blank line between them. */
export function sections(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Says that not every match is shown, how many are missing and how to see fewer or others; '' when all are there. */
export function moreMatches(result: TextResult, narrow: string): string {
  const { matches, total, atLeast, truncated, files } = result
  if (!truncated) return ''
  const least = atLeast ? 'at least ' : ''
  return `(showing ${formatNumber(matches.length)} of ${least}${plural(total, 'matching line')} in ${least}${plural(files, 'file')}: ${least}${formatNumber(total - matches.length)} more. To narrow: ${narrow})`
}

/** Says what could not be looked into; '' when there is nothing to say. */
export function notSearched(skipped: readonly string[], binary: readonly string[] = []): string {
  const unreadable =
    skipped.length === 0
      ? ''
      : `(Not searched: ${skipped.slice(0, 5).join('; ')}${skipped.length > 5 ? `; and ${skipped.length - 5} more` : ''}.)`
  const halves =
    binary.length === 0
      ? ''
      : `(Binary, so not searched to the end: ${binary.slice(0, 5).join(', ')}${binary.length > 5 ? ` and ${binary.length - 5} more` : ''}.)`
  return [unreadable, halves].filter((line) => line !== '').join('\n')
}

/** What a search leaves out, for answers that found nothing. */
export function leftOut(of: 'contents' | 'names', includeDependencies = false): string {
  const kinds = of === 'contents' ? 'Hidden, binary and git-ignored files' : 'Hidden and git-ignored entries'
  return `${kinds}${includeDependencies ? '' : ' and dependency folders (node_modules, vendor, …)'} were left out.`
}

export function matchesView(pattern: string, { matches, total, truncated }: TextResult): ToolView {
  return { kind: 'matches', pattern, matches, total, truncated }
}
