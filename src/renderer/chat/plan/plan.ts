import type { AssistantItem } from '../../../shared/conversation.ts'
import { modes, type Mode } from '../../../shared/risk.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { setMode } from '../chatActions.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'

/**
 * Finds the plan that the user can execute: the last answer in plan mode, once its turn has ended. Models do not follow
 * a required format, so every answer is a plan unless it is clearly a question.
 */
export function pendingPlan({ info, running, order, items }: ChatState): AssistantItem | undefined {
  if (info?.mode !== 'plan' || running) return undefined
  const last = order.findLast((id) => items[id]?.kind !== 'notice')
  const item = last === undefined ? undefined : items[last]
  return item?.kind === 'assistant' && item.state === 'done' && isPlan(item.text) ? item : undefined
}

/** Whether an answer is a plan: it has at least two steps, or does not end with a question. */
export function isPlan(text: string): boolean {
  const steps = text.match(/^\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\S/gm)?.length ?? 0
  return text.trim() !== '' && (steps >= 2 || !/\?[\s*_`)"']*$/.test(text))
}

/** Mode in which a plan is executed: the mode before planning, else the default mode, but never plan mode. */
export function modeAfterPlan(before: Mode | undefined, defaultMode: Mode | undefined): Mode {
  return [before, defaultMode].find((mode) => mode !== undefined && mode !== 'plan' && modes.includes(mode)) ?? 'safe'
}

/** Message that starts the execution. Contains the plan only if the user edited it. */
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
