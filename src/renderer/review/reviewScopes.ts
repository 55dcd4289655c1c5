import type { ConversationItem, UserItem } from '../../shared/agent/conversation.ts'
import type { ReviewScope } from '../../shared/review/review.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { loadEarlier } from '../platform/conversation/earlierItems.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { latestTurn, setScope, useReview } from '../platform/review/reviewStore.ts'

/**
 * Choices of the scope field. `turn`, `since`: a chosen earlier turn, alone or with later ones. `checkpoint`: a chosen
 * checkpoint.
 */
export type ScopeChoice = 'pending' | 'latest' | 'conversation' | 'turn' | 'since' | 'checkpoint' | 'choose'

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

/** Pure: returns the choice that a scope corresponds to. */
export function choiceOf(scope: ReviewScope, latest: ReviewScope | null): ScopeChoice {
  if (scope.kind === 'pending' || scope.kind === 'conversation') return scope.kind
  if (scope.kind === 'turn' && latest?.kind === 'turn' && scope.message === latest.message) return 'latest'
  return scope.kind
}

/** Returns the options for a shown earlier turn or checkpoint, titled with its message. */
export function chosenOptions(scope: ReviewScope, latest: ReviewScope | null): { value: ScopeChoice; label: string }[] {
  const message = userMessages().find(
    (item) =>
      ('message' in scope && item.id === scope.message) ||
      (scope.kind === 'checkpoint' && item.checkpoint === scope.checkpoint),
  )
  const choice = choiceOf(scope, latest)
  const title = message && truncate(message.text)
  const since = title === undefined ? 'Since an earlier message' : `Since "${title}"`
  if (choice === 'checkpoint') return [{ value: choice, label: since }]
  if (choice !== 'turn' && choice !== 'since') return []
  return [
    { value: 'turn', label: title === undefined ? 'Earlier turn' : `Turn "${title}"` },
    { value: 'since', label: since },
  ]
}

/** Shows the changes of a choice. `choose` asks for a message with a checkpoint. */
export async function chooseScope(choice: ScopeChoice): Promise<void> {
  const conversation = useChat.getState().info?.id
  if (choice === 'pending') setScope({ kind: 'pending' })
  else if (choice === 'conversation' && conversation !== undefined) setScope({ kind: 'conversation', conversation })
  else if (choice === 'turn' || choice === 'since') {
    const { scope } = useReview.getState()
    if ('message' in scope) setScope({ ...scope, kind: choice })
  } else if (choice === 'latest') {
    const latest = latestTurn(conversation, openItems())
    if (latest) setScope(latest)
  } else if (choice === 'choose') {
    await loadEarlier(useChat.getState().earlier)
    const picked = await quickPick({
      title: 'Show changes since a message',
      placeholder: 'Type part of the message',
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
