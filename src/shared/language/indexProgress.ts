import type { IndexProgress } from './codeNavigation.ts'
import { formatNumber } from '../text/formatNumber.ts'
import { plural } from '../text/plural.ts'

/**
 * Appends the progress of the code index to a text: `… built: 5 of 20 files`. Returns the text unchanged while the
 * number of files is unknown.
 */
export function withIndexProgress(text: string, { done, total }: IndexProgress): string {
  return total === 0 ? text : `${text}: ${formatNumber(done)} of ${plural(total, 'file')}`
}
