import type { AssistantItem, ConversationItem } from '../../../shared/conversation.ts'
import type { Mode } from '../../../shared/risk.ts'
import { latestTodos } from '../../../shared/todos.ts'
import { promisesCall } from './promisedCall.ts'
import { repetition, type Repetition } from './repetition.ts'
import { sinceUserSpoke } from './guardScope.ts'

/** What is noticed of a model that does not get on. Everything is read from the transcript; nothing is remembered beside it. */
export interface Guards {
  /** After a call has its result: whether the model goes round in a circle. */
  afterCall(items: readonly ConversationItem[]): Repetition | undefined
  /** After an answer without a call: what to do about an empty one, and about a promise that was not kept. */
  afterAnswer(answer: AssistantItem, items: readonly ConversationItem[], mode: Mode): AnswerAdvice | undefined
}

/** Say this to the model and ask once more, or tell the user. */
export type AnswerAdvice = { nudge: string } | { notice: string }

export const emptyNudge =
  'Your last answer was empty. Go on: make the next call, or say in words what you found or did.'
export const promiseNudge =
  'You said what you would do next, but made no call. Make the call now, or say that you are done.'
const emptyNotice = 'The model answered with nothing. Try again, or choose another model.'

/** @param features which of them are on (shared/features.ts) */
export function createGuards({ guards, nudge }: { guards: boolean; nudge: boolean }): Guards {
  return {
    afterCall: (items) => (guards ? repetition(items) : undefined),
    afterAnswer(answer, items, mode) {
      const nudged = sinceUserSpoke(items).flatMap((item) => (item.kind === 'user' ? [item.text] : []))
      const empty = answer.text.trim() === ''
      if (empty) return nudge && !nudged.includes(emptyNudge) ? { nudge: emptyNudge } : { notice: emptyNotice }
      if (!nudge || nudged.includes(promiseNudge)) return undefined
      // In a plan "I will edit the file" is the plan itself; only what begins a look is a promise there.
      if (mode === 'plan' && !/\blet me\b/i.test(answer.text.slice(-300))) return undefined
      const unfinished = latestTodos(items)?.some(({ status }) => status !== 'completed') ?? false
      return promisesCall(answer.text, unfinished) ? { nudge: promiseNudge } : undefined
    },
  }
}
