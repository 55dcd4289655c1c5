import type { AssistantItem } from '../../../shared/conversation.ts'
import { modes, type Mode } from '../../../shared/risk.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { setMode } from '../chatActions.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'

/**
 * The plan that waits for the user: the last answer of a conversation in mode `plan` whose turn is over. Models forget any format that is
 * asked for, so every answer counts that is not plainly a question.
 */
export function pendingPlan({ info, running, order, items }: ChatState): AssistantItem | undefined {
  if (info?.mode !== 'plan' || running) return undefined
  const last = order.findLast((id) => items[id]?.kind !== 'notice')
  const item = last === undefined ? undefined : items[last]
  return item?.kind === 'assistant' && item.state === 'done' && isPlan(item.text) ? item : undefined
}

/** Steps make a plan, whatever stands below them ("Shall I go on?"); a text without any is one unless it ends with a question. */
export function isPlan(text: string): boolean {
  const steps = text.match(/^\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\S/gm)?.length ?? 0
  return text.trim() !== '' && (steps >= 2 || !/\?[\s*_`)"']*$/.test(text))
}

/** The mode to carry a plan out in: the one the user had before, or would have, and never a plan again. */
export function modeAfterPlan(before: Mode | undefined, usual: Mode | undefined): Mode {
  return [before, usual].find((mode) => mode !== undefined && mode !== 'plan' && modes.includes(mode)) ?? 'safe'
}

/** The message that carries a plan over: it stands in the conversation already, unless the user changed it. */
export function planMessage(edited: string | undefined): string {
  return edited === undefined
    ? 'Carry out the plan above, step by step.'
    : `Carry out this plan, step by step:\n\n${edited.trim()}`
}

/** Leaves the mode `plan` and has the plan carried out. Rejects where main does not take it; the mode says how far it came. */
export async function executePlan(mode: Mode, edited: string | undefined): Promise<void> {
  const id = useChat.getState().info?.id
  if (id === undefined) return
  await setMode(mode)
  await request('conversations.send', { id, text: planMessage(edited) })
}
