import type { AssistantItem } from '../../../shared/agent/conversation.ts'
import { modes, type Mode } from '../../../shared/tools/risk.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { setMode } from '../chatActions.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'

/**
 * Finds the plan that the user can execute: in plan mode the last answer, once its turn has ended. Models do not follow
 * a required format, so every answer is a plan unless it is clearly a question. In any mode, the steps of a guided turn
 * are a plan too.
 */
export function pendingPlan({ info, running, order, items }: ChatState): AssistantItem | undefined {
  if (running) return undefined
  const last = order.findLast((id) => items[id]?.kind !== 'notice')
  const item = last === undefined ? undefined : items[last]
  if (item?.kind !== 'assistant' || item.state !== 'done') return undefined
  return item.isStepList || (info?.mode === 'plan' && isPlan(item.text)) ? item : undefined
}

/** Whether an answer is a plan: it has at least two steps, or does not end with a question. */
export function isPlan(text: string): boolean {
  const steps = text.match(/^\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\S/gm)?.length ?? 0
  return text.trim() !== '' && (steps >= 2 || !/\?[\s*_`)"']*$/.test(text))
}

/**
 * Returns the mode in which to execute a plan: the mode before planning, or else the default mode, but never plan mode.
 */
export function modeAfterPlan(before: Mode | undefined, defaultMode: Mode | undefined): Mode {
  return [before, defaultMode].find((mode) => mode !== undefined && mode !== 'plan' && modes.includes(mode)) ?? 'safe'
}

/** Message that starts the execution. Contains the plan only if the user edited it. */
function planMessage(edited: string | undefined): string {
  return edited === undefined
    ? 'Carry out the plan above, step by step.'
    : `Carry out this plan, step by step:\n\n${edited.trim()}`
}

/** Sends and runs the steps of a guided turn. Rejects if main refuses the request. */
export async function runSteps(steps: string): Promise<void> {
  const id = useChat.getState().info?.id
  if (id !== undefined) await request('conversations.send', { id, text: numbered(steps) })
}

/** Numbers the lines of an edited list. */
function numbered(steps: string): string {
  return steps
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\d+[.)]|[-*+])\s*/, '').trim())
    .filter((line) => line !== '')
    .map((line, at) => `${at + 1}. ${line}`)
    .join('\n')
}

/** Leaves plan mode and sends the message that starts execution. Rejects if main refuses either request. */
export async function executePlan(mode: Mode, edited: string | undefined): Promise<void> {
  const id = useChat.getState().info?.id
  if (id === undefined) return
  await setMode(mode)
  await request('conversations.send', { id, text: planMessage(edited) })
}
