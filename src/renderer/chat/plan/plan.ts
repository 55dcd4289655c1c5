import type { AssistantItem } from '../../../shared/conversation.ts'
import { modes, type Mode } from '../../../shared/risk.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { setMode } from '../chatActions.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'

/**
 * The plan that the user can execute: the last answer in plan mode after the turn has ended. Models do not keep to a required
 * format, so every answer counts unless it is clearly a question.
 */
export function pendingPlan({ info, running, order, items }: ChatState): AssistantItem | undefined {
  if (info?.mode !== 'plan' || running) return undefined
  const last = order.findLast((id) => items[id]?.kind !== 'notice')
  const item = last === undefined ? undefined : items[last]
  return item?.kind === 'assistant' && item.state === 'done' && isPlan(item.text) ? item : undefined
}

/** A text is a plan if it has at least two steps, or if it does not end with a question. */
export function isPlan(text: string): boolean {
  const steps = text.match(/^\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\S/gm)?.length ?? 0
  return text.trim() !== '' && (steps >= 2 || !/\?[\s*_`)"']*$/.test(text))
}

/** The mode to execute a plan in: the previous mode or the default mode, but never plan mode. */
export function modeAfterPlan(before: Mode | undefined, usual: Mode | undefined): Mode {
  return [before, usual].find((mode) => mode !== undefined && mode !== 'plan' && modes.includes(mode)) ?? 'safe'
}

/** The message that starts execution. Includes the plan only if the user edited it. */
function planMessage(edited: string | undefined): string {
  return edited === undefined
    ? 'Carry out the plan above, step by step.'
    : `Carry out this plan, step by step:\n\n${edited.trim()}`
}

/** Leaves plan mode and sends the message that starts execution. Rejects if main refuses either request. */
export async function executePlan(mode: Mode, edited: string | undefined): Promise<void> {
  const id = useChat.getState().info?.id
  if (id === undefined) return
  await setMode(mode)
  await request('conversations.send', { id, text: planMessage(edited) })
}
