import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AssistantItem } from '../../../shared/agent/conversation.ts'
import { emptyChat, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain } from '../../testing/testMain.ts'
import { AssistantMessage } from './AssistantMessage.tsx'

beforeEach(() => {
  testMain()
  useChat.setState(emptyChat, true)
})
afterEach(cleanup)

const answer: AssistantItem = {
  id: 'a',
  kind: 'assistant',
  at: 1,
  text: 'Done.',
  reasoning: '',
  state: 'done',
  usage: { promptTokens: 1200, completionTokens: 30, tokensPerSecond: 40 },
}
const cost = { requests: 3, promptTokens: 3100, completionTokens: 190, seconds: 75 }

it('shows what its turn took, with the energy if the machine can tell', () => {
  const { rerender } = render(<AssistantMessage item={{ ...answer, cost }} nextId={undefined} />)
  expect(screen.getByTestId('usage').textContent).toBe('1,200 → 30 tokens · 40 tok/s · 1 min 15 s')
  const energy = { wattHours: 0.0416, of: ['processor' as const, 'graphics' as const] }
  rerender(<AssistantMessage item={{ ...answer, cost: { ...cost, energy } }} nextId={undefined} />)
  expect(screen.getByTestId('usage').textContent).toBe('1,200 → 30 tokens · 40 tok/s · 1 min 15 s · 42 mWh')
  expect(screen.getByTestId('usage').title.split('\n')[1]).toBe(
    "The turn: 3 requests in 1 min 15 s, 3,100 tokens read, 190 written, 42 mWh of this machine's processor and graphics card, whatever else it did",
  )
})
