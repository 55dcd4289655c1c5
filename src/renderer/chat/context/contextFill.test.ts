import { describe, expect, it } from 'vitest'
import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import type { AssistantItem, ConversationItem, SummaryItem } from '../../../shared/agent/conversation.ts'
import { contextFill } from './contextFill.ts'

const context: ContextUse = {
  window: 8000,
  assumed: false,
  profile: 'compact',
  system: 100,
  tools: 900,
  files: 1500,
  conversation: 500,
  answer: 1000,
  compactAt: 6000,
  exact: false,
}
const asked = (more: Partial<AssistantItem> = {}): AssistantItem => ({
  id: 'a',
  kind: 'assistant',
  at: 1,
  text: 'x',
  reasoning: '',
  state: 'done',
  context,
  ...more,
})
const summary: SummaryItem = {
  id: 's',
  kind: 'summary',
  at: 2,
  text: 't',
  account: '',
  upTo: 'a',
  tokensBefore: 3000,
  tokensAfter: 1400,
  by: 'model',
}
const chat = (...items: ConversationItem[]) =>
  contextFill({ order: items.map(({ id }) => id), items: Object.fromEntries(items.map((item) => [item.id, item])) })

describe('the context fill', () => {
  it('is undefined before the first request', () => {
    expect(chat({ id: 'u', kind: 'user', at: 1, text: 'x' })).toBeUndefined()
  })

  it('describes the last request and the available tokens', () => {
    expect(chat(asked())).toMatchObject({ files: 1500, available: 4000, nearlyFull: false, exact: false })
  })

  it('is scaled to the server count and includes the answer', () => {
    const counted = asked({ usage: { promptTokens: 6000, completionTokens: 80 } })
    expect(chat(counted)).toMatchObject({
      system: 200,
      tools: 1800,
      files: 3000,
      conversation: 1080,
      available: 920,
      exact: true,
    })
    const full = asked({ usage: { promptTokens: 6500, completionTokens: 200 } })
    expect(chat(full)).toMatchObject({ nearlyFull: true })
  })

  it('ignores a server count that is too small for the whole prompt', () => {
    expect(chat(asked({ usage: { promptTokens: 12, completionTokens: 0 } }))).toMatchObject({
      files: 1500,
      available: 4000,
    })
  })

  it('reflects a summary', () => {
    expect(chat(asked(), summary)).toMatchObject({
      system: 100,
      tools: 900,
      files: 0,
      conversation: 400,
      available: 5600,
    })
  })
})
