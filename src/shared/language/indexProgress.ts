import type { IndexProgress } from './codeNavigation.ts'
import { formatNumber } from '../text/formatNumber.ts'
import { plural } from '../text/plural.ts'

/**
 * Adds the progress of the code index to a text: `… built: 5 of 20 files`. At first the number of files is not known,
 * and the text stays without numbers.
 */
export function withIndexProgress(text: string, { done, total }: IndexProgress): string {
  return total === 0 ? text : `${text}: ${formatNumber(done)} of ${plural(total, 'file')}`
}
