import type { ConversationItem, UserItem } from '../../../shared/agent/conversation.ts'
import { log } from '../../base/log/log.ts'
import type { Review } from '../../review/reviewTypes.ts'
import type { Transcript } from './transcript.ts'

/**
 * Adds the summary of the turn's changes to its last answer.
 * @param message the turn's user message
 * @param withoutCalls whether a turn without calls may have changed files
 */
export async function addTurnReview(
  deps: { review?(): Pick<Review, 'countChanges'> | undefined },
  transcript: Pick<Transcript, 'items' | 'put'>,
  message: UserItem | undefined,
  withoutCalls = false,
): Promise<void> {
  if (!message) return
  const items = transcript.items()
  // Compares ids, because a checkpoint replaces the item.
  const own = items.slice(items.findIndex(({ id }) => id === message.id) + 1)
  const answer = own.findLast((item) => item.kind === 'assistant')
  if (!answer || !(withoutCalls || own.some(({ kind }) => kind === 'tool'))) return
  try {
    const counts = await deps.review?.()?.countChanges(new Set([message, ...userMessages(own)].map(({ id }) => id)))
    if (counts) transcript.put({ ...answer, review: { ...counts, message: message.id } })
  } catch (error) {
    // Only logged, because the review view lists the changes too.
    log.error('The changes of a turn could not be counted', error)
  }
}

/** Returns the messages that the user sent. */
export function userMessages(items: readonly ConversationItem[]): UserItem[] {
  return items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
}
