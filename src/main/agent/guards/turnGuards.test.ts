import { expect, test } from 'vitest'
import type { AssistantItem, ConversationItem, UserItem } from '../../../shared/agent/conversation.ts'
import { createGuards, emptyNudge, promiseNudge } from './turnGuards.ts'

const on = createGuards({ guards: true, nudge: true })
const user: UserItem = { id: 'u', kind: 'user', at: 0, text: 'go' }
const answer = (text: string, reasoning = ''): AssistantItem => ({
  id: 'a',
  kind: 'assistant',
  at: 0,
  text,
  reasoning,
  state: 'done',
})
const nudged = (text: string): UserItem => ({ id: 'n', kind: 'user', at: 0, text, nudge: true })
const advice = (said: AssistantItem, before: ConversationItem[] = [user], mode: 'safe' | 'plan' = 'safe') =>
  on.afterAnswer(said, [...before, said], mode)

test('an empty answer causes one nudge, and a notice the second time', () => {
  expect(advice(answer(' \n'))).toEqual({ nudge: emptyNudge })
  expect(advice(answer('', 'I thought about it.'))).toEqual({ nudge: emptyNudge })
  expect(advice(answer(''), [user, nudged(emptyNudge)])).toEqual({
    notice: expect.stringContaining('answer was empty'),
  })
  expect(advice(answer(''), [user, nudged(emptyNudge), { ...user, id: 'u2' }])).toEqual({ nudge: emptyNudge })
})

test('an announced call causes one nudge', () => {
  expect(advice(answer('I will now read the file.'))).toEqual({ nudge: promiseNudge })
  expect(advice(answer('I will now read the file.'), [user, nudged(promiseNudge)])).toBeUndefined()
  expect(advice(answer('It is done.'))).toBeUndefined()
})

test('in plan mode only announced reads count', () => {
  expect(advice(answer('Then I will update the parser.'), [user], 'plan')).toBeUndefined()
  expect(advice(answer('Let me read the parser.'), [user], 'plan')).toEqual({ nudge: promiseNudge })
})

test('each guard can be disabled', () => {
  const said = answer('')
  expect(createGuards({ guards: true, nudge: false }).afterAnswer(said, [user, said], 'safe')).toHaveProperty('notice')
  expect(createGuards({ guards: false, nudge: true }).afterCall([])).toBeUndefined()
})
