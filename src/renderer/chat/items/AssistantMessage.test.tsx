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

it('shows how many drafted tokens the model accepted', () => {
  const usage = { promptTokens: 1200, completionTokens: 40, drafted: { tokens: 34, accepted: 30 } }
  render(<AssistantMessage item={{ ...answer, usage }} nextId={undefined} />)
  expect(screen.getByTestId('usage').title).toBe('1,200 tokens read, 40 written (30 of 34 drafted tokens accepted)')
})

it('shows what a turn took whose last answer has no usage', () => {
  const { usage: _none, ...stopped } = answer
  render(<AssistantMessage item={{ ...stopped, state: 'stopped', model: 'm', cost }} nextId={undefined} />)
  expect(screen.getByTestId('usage').textContent).toBe('m1 min 15 s')
  expect(screen.getByTestId('usage').title).toMatch(/^The turn: 3 requests/)
})

it.each([
  [0.00001, 'less than 0.1 mWh'],
  [0.0004, '0.4 mWh'],
  [0.00994, '9.9 mWh'],
  [0.00998, '10 mWh'],
  [0.149, '149 mWh'],
  [0.9994, '999 mWh'],
  [0.9996, '1.00 Wh'],
  [12.34, '12.3 Wh'],
])('%f watt-hours are "%s"', (wattHours, text) => {
  const energy = { wattHours, of: ['processor' as const] }
  render(<AssistantMessage item={{ ...answer, cost: { ...cost, energy } }} nextId={undefined} />)
  expect(screen.getByTestId('usage').textContent?.split(' · ').at(-1)).toBe(text)
})
