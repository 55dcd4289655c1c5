import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { usedTokens } from '../../shared/agent/contextUse.ts'
import type { SessionRow, SessionState } from '../../shared/agent/sessionRows.ts'

/** Returns how a conversation without a running turn ended, from its latest items. */
export function endOf(items: readonly ConversationItem[]): SessionState {
  for (const item of items.toReversed()) {
    if (item.kind === 'notice' && item.level === 'error')
      return item.action === 'contextSize' ? 'outOfContext' : 'failed'
    if (item.kind === 'notice' && item.action === 'continue') return 'stopped'
    if (item.kind === 'assistant') {
      if (item.state === 'failed' || item.state === 'stopped') return item.state
      return item.isStepList === true ? 'asking' : 'done'
    }
    if (item.kind === 'tool' || item.kind === 'user') return 'stopped'
  }
  return 'idle'
}

/** Returns the sum of the tokens of all prompts and answers. */
export function tokensOf(items: readonly ConversationItem[]): number {
  return items.reduce((sum, item) => {
    const usage = item.kind === 'assistant' ? item.usage : undefined
    return sum + (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0)
  }, 0)
}

/** Returns the tokens of the latest request, and the files that the latest finished turn changed. */
export function sizesOf(items: readonly ConversationItem[]): Pick<SessionRow, 'tokens' | 'changedFiles'> {
  const answers = items.filter((item) => item.kind === 'assistant')
  const counted = answers.findLast(({ usage, context }) => usage ?? context)
  const { usage, context } = counted ?? {}
  const tokens = usage ? usage.promptTokens + usage.completionTokens : context ? usedTokens(context) : 0
  return { tokens, changedFiles: answers.findLast(({ review }) => review)?.review?.files ?? 0 }
}
