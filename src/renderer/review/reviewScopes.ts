import type { ConversationItem, UserItem } from '../../shared/conversation.ts'
import type { ReviewScope } from '../../shared/review.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { quickPick } from '../platform/quickPick.ts'
import { latestTurn, setScope, useReview } from '../platform/review/reviewStore.ts'

/** Choices of the scope field. `message`: a turn or checkpoint that the user chose. */
export type ScopeChoice = 'pending' | 'latest' | 'conversation' | 'message' | 'choose'

const maxTitle = 60

function truncate(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > maxTitle ? `${line.slice(0, maxTitle - 1)}…` : line
}

function openItems(): ConversationItem[] {
  const { order, items } = useChat.getState()
  return order.flatMap((id) => items[id] ?? [])
}

function userMessages(): UserItem[] {
  return openItems().filter((item) => item.kind === 'user' && !item.steered && !item.nudge) as UserItem[]
}

/** Pure: returns which choice of the field a scope is. */
export function choiceOf(scope: ReviewScope, latest: ReviewScope | null): ScopeChoice {
  if (scope.kind === 'pending' || scope.kind === 'conversation') return scope.kind
  if (scope.kind === 'turn' && latest?.kind === 'turn' && scope.message === latest.message) return 'latest'
  return 'message'
}

/** Returns the title of a turn or checkpoint: the text of its message. */
export function scopeTitle(scope: ReviewScope): string {
  const message = userMessages().find(
    (item) =>
      (scope.kind === 'turn' && item.id === scope.message) ||
      (scope.kind === 'checkpoint' && item.checkpoint === scope.checkpoint),
  )
  return message ? `Since “${truncate(message.text)}”` : 'Since an earlier message'
}

/** Shows the changes of a choice. `choose` lets the user pick a message with a checkpoint. */
export async function chooseScope(choice: ScopeChoice): Promise<void> {
  const conversation = useChat.getState().info?.id
  if (choice === 'pending') setScope({ kind: 'pending' })
  else if (choice === 'conversation' && conversation !== undefined) setScope({ kind: 'conversation', conversation })
  else if (choice === 'latest') {
    const latest = latestTurn(conversation, openItems())
    if (latest) setScope(latest)
  } else if (choice === 'choose') {
    const picked = await quickPick({
      title: 'Show changes since a message',
      placeholder: 'Type a part of the message',
      empty: 'No message of this conversation changed files.',
      items: userMessages()
        .filter(({ checkpoint }) => checkpoint !== undefined)
        .map(({ checkpoint, text, at }) => ({
          id: String(checkpoint),
          label: truncate(text),
          description: new Date(at).toLocaleTimeString(),
        }))
        .reverse(),
    })
    if (picked) setScope({ kind: 'checkpoint', checkpoint: Number(picked.id) })
    else useReview.setState(({ scope }) => ({ scope }))
  }
}
