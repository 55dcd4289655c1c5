import type { ToolView } from '../../../shared/tools/tool.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { TextResult } from '../../search/search.ts'

/** Limits a parameter to its maximum. `note` reports that it was lowered; otherwise it is empty. */
export function capValue(name: string, value: number, cap: number): { value: number; note: string } {
  return value <= cap
    ? { value, note: '' }
    : { value: cap, note: `(\`${name}\` ${value} is above the cap, so ${cap} was used.)` }
}

/** Joins the non-empty sections of a result with blank lines. */
export function joinSections(...sections: string[]): string {
  return sections.filter((section) => section !== '').join('\n\n')
}

/** Reports how many matches are missing and how to narrow the search. Empty if all are shown. */
export function moreMatchesNote(result: TextResult, narrow: string): string {
  const { matches, total, totalIsMinimum, truncated, files } = result
  if (!truncated) return ''
  const least = totalIsMinimum ? 'at least ' : ''
  return `(showing ${formatNumber(matches.length)} of ${least}${plural(total, 'matching line')} in ${least}${plural(files, 'file')}: ${least}${formatNumber(total - matches.length)} more. To narrow: ${narrow})`
}

/** Reports files that were not searched. Empty if there are none. */
export function notSearchedNote(skipped: readonly string[], binary: readonly string[] = []): string {
  const unreadable =
    skipped.length === 0
      ? ''
      : `(These were not searched: ${skipped.slice(0, 5).join('; ')}${skipped.length > 5 ? `; and ${skipped.length - 5} more` : ''}.)`
  const partlySearched =
    binary.length === 0
      ? ''
      : `(These binary files were not searched completely: ${binary.slice(0, 5).join(', ')}${binary.length > 5 ? ` and ${binary.length - 5} more` : ''}.)`
  return [unreadable, partlySearched].filter((line) => line !== '').join('\n')
}

/** Describes what a search skips, for results without matches. */
export function skippedNote(searched: 'contents' | 'names', includeDependencies = false): string {
  const kinds = searched === 'contents' ? 'Hidden, binary and git-ignored files' : 'Hidden and git-ignored entries'
  return `${kinds}${includeDependencies ? '' : ' and dependency folders (node_modules, vendor, …)'} were skipped.`
}

/** Returns matches as a list for the panel. */
export function matchesView(pattern: string, { matches, total, truncated }: TextResult): ToolView {
  return { kind: 'matches', pattern, matches, total, truncated }
}

/**
 * Checks a part of a file name.
 * @param listHint how to see all names instead
 * @throws ToolError invalid_pattern if it is empty or contains a NUL character
 */
export function checkNamePattern(pattern: string, listHint: string): void {
  if (pattern.trim() === '')
    throw new ToolError(
      'invalid_pattern',
      'The pattern is empty and would match every name.',
      `Pass a part of the name; ${listHint}.`,
    )
  if (pattern.includes('\0'))
    throw new ToolError(
      'invalid_pattern',
      'The pattern contains a NUL character, which no file name can have.',
      'Send the pattern without it.',
    )
}
