import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { isRecord } from '../transport/modelErrors.ts'

/** Minimum number of new tokens whose progress is shown. Shorter prompts take no noticeable time. */
const minTokens = 512

/** Returns a note about the share of a prompt that the server has processed. Ends with "…", like all waiting notes. */
export function progressText(share: number, newTokens: number, isEstimate = false): string {
  const percent = Math.floor(Math.min(1, Math.max(0, share)) * 100)
  const text = `Processing the prompt: ${isEstimate ? 'about ' : ''}${percent}% of ${formatNumber(newTokens)} new tokens`
  return isEstimate ? `${text} (estimate)…` : `${text}…`
}

/**
 * Creates a reader of llama-server's `prompt_progress` events of one answer. `total` and `processed` include the cached
 * tokens. Ignores events that cannot be true: beyond the total, or behind an earlier one.
 * @returns a function that returns the text to show; undefined if there is nothing new
 */
export function createProgressReader(): (event: unknown) => string | undefined {
  let furthest = -1
  return (event) => {
    if (!isRecord(event)) return undefined
    const [total, cached, processed] = [event['total'], event['cache'] ?? 0, event['processed']].map(count)
    if (total === undefined || cached === undefined || processed === undefined) return undefined
    if (cached > processed || processed > total || processed <= furthest || total - cached < minTokens) return undefined
    furthest = processed
    return progressText((processed - cached) / (total - cached), total - cached)
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}
