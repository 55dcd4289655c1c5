import type { AssistantItem, ConversationItem } from '../../../shared/agent/conversation.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import { latestTodos } from '../../../shared/agent/todos.ts'
import { promisesCall } from './promisedCall.ts'
import { failedTestHint } from './failedTest.ts'
import { findCallRepetition, type CallRepetition, sinceUserMessage } from './callRepetition.ts'

/** Checks that detect a model without progress. They depend only on the transcript and have no state. */
export interface Guards {
  /** Called after each result. */
  afterCall(items: readonly ConversationItem[]): CallRepetition | undefined
  /**
   * Called after an answer without a call.
   * @returns what to do about an empty answer or a call that was only announced
   */
  afterAnswer(answer: AssistantItem, items: readonly ConversationItem[], mode: Mode): AnswerAdvice | undefined
}

/** What to do after an answer: send this nudge to the model in another request, or show this notice to the user. */
export type AnswerAdvice = { nudge: string } | { notice: string }

export const emptyNudge = 'Your last answer was empty. Continue: make the next call, or write what you found or did.'
export const promiseNudge = 'You announced the next step but made no call. Make the call now, or say that you are done.'
const emptyNotice = "The model's answer was empty. Try again, or select another model."

export interface GuardOptions {
  guards: boolean
  nudge: boolean
  /** Whether `debug_run` may be named after a failed test. */
  canDebug?(): boolean
}

export function createGuards({ guards, nudge, canDebug }: GuardOptions): Guards {
  return {
    afterCall(items) {
      const repetition = guards ? findCallRepetition(items) : undefined
      if (repetition) return repetition
      const hint = failedTestHint(items)
      return hint !== undefined && canDebug?.() === true ? { warning: hint } : undefined
    },
    afterAnswer(answer, items, mode) {
      const nudged = sinceUserMessage(items).flatMap((item) => (item.kind === 'user' ? [item.text] : []))
      const empty = answer.text.trim() === ''
      if (empty) return nudge && !nudged.includes(emptyNudge) ? { nudge: emptyNudge } : { notice: emptyNotice }
      if (!nudge || nudged.includes(promiseNudge)) return undefined
      // In plan mode, "I will edit the file" is part of the plan. Only "let me …" announces a call.
      if (mode === 'plan' && !/\blet me\b/i.test(answer.text.slice(-300))) return undefined
      const unfinished = latestTodos(items)?.some(({ status }) => status !== 'completed') ?? false
      return promisesCall(answer.text, unfinished) ? { nudge: promiseNudge } : undefined
    },
  }
}
