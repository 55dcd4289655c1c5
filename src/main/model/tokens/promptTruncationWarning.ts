import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { contextWindowHint, type HintTarget } from '../transport/errorHints.ts'

/**
 * Returns the warning about a prompt that the server truncated silently.
 * @param counts tokens sent and read, and the context size
 */
export function promptTruncationWarning(
  name: string,
  counts: { sent: number; read: number; window?: number },
  target: HintTarget,
): string {
  const window = counts.window === undefined ? '' : ` Its context size is ${formatNumber(counts.window)}.`
  return (
    `${name} read only ${formatNumber(counts.read)} of about ${plural(counts.sent, 'token')} and silently dropped the rest, so the model does not ` +
    `see the whole conversation.${window} ${contextWindowHint(target)} Or start a new conversation.`
  )
}
