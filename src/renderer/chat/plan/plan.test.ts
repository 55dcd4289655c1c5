import { describe, expect, it } from 'vitest'
import type { AssistantItem, ConversationItem, ConversationSnapshot } from '../../../shared/agent/conversation.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain } from '../../testing/testMain.ts'
import { executePlan, isPlan, modeAfterPlan, pendingPlan, runSteps } from './plan.ts'

const answer = (text: string): AssistantItem => ({
  id: 'a',
  kind: 'assistant',
  at: 2,
  text,
  reasoning: '',
  state: 'done',
})
function show(mode: Mode, items: ConversationItem[], running = false): void {
  const info: ConversationSnapshot['info'] = {
    id: 'c1',
    title: 'T',
    createdAt: 1,
    updatedAt: 1,
    workspace: '/w',
    mode,
    toolset: 'blade',
  }
  showConversation({ info, items: [{ id: 'u', kind: 'user', at: 1, text: 'go' }, ...items], running, queue: [] })
}
const waiting = () => pendingPlan(useChat.getState())?.id

describe('a plan', () => {
  it.each([
    ['1. Read the parser\n2. Fix it', true],
    ['## Plan\n\n- Read\n- Fix\n\nShall I go on?', true],
    ['I would rename the function and adapt its callers.', true],
    ['Which of the two files do you mean?', false],
    ['Do you want tests as well? **Or not?**', false],
    ['  ', false],
  ])('%j: %s', (text, expected) => {
    expect(isPlan(text)).toBe(expected)
  })

  it('is offered after the turn has ended, in plan mode only', () => {
    show('plan', [answer('1. a\n2. b')])
    expect(waiting()).toBe('a')
    show('plan', [answer('1. a\n2. b')], true)
    expect(waiting()).toBeUndefined()
    show('safe', [answer('1. a\n2. b')])
    expect(waiting()).toBeUndefined()
    show('plan', [answer('1. a\n2. b'), { id: 'u2', kind: 'user', at: 3, text: 'No.' }])
    expect(waiting()).toBeUndefined()
  })

  it('is offered in any mode if it is the steps of a guided turn, which are sent as a numbered list', async () => {
    const main = testMain()
    show('safe', [{ ...answer('1. a\n2. b\n3. c'), isStepList: true }])
    expect(waiting()).toBe('a')
    await runSteps('2. b\n\n- a and c\nd')
    expect(main.requests).toEqual([
      { method: 'conversations.send', params: { id: 'c1', text: '1. b\n2. a and c\n3. d' } },
    ])
  })

  it('is executed in the previous mode, the default mode or safe mode', () => {
    expect(modeAfterPlan('cautious', 'yolo')).toBe('cautious')
    expect(modeAfterPlan(undefined, 'yolo')).toBe('yolo')
    expect(modeAfterPlan(undefined, 'plan')).toBe('safe')
    expect(modeAfterPlan(undefined, undefined)).toBe('safe')
  })

  it('is sent unchanged or as edited, after the mode has changed', async () => {
    const main = testMain()
    show('plan', [answer('1. a\n2. b')])
    main.responses['conversations.update'] = () => ({ ...useChat.getState().info, mode: 'safe' })
    await executePlan('safe', undefined)
    await executePlan('safe', ' 1. only a \n')
    expect(main.requests).toEqual([
      { method: 'conversations.update', params: { id: 'c1', mode: 'safe' } },
      { method: 'conversations.send', params: { id: 'c1', text: 'Carry out the plan above, step by step.' } },
      { method: 'conversations.update', params: { id: 'c1', mode: 'safe' } },
      { method: 'conversations.send', params: { id: 'c1', text: 'Carry out this plan, step by step:\n\n1. only a' } },
    ])
  })
})
