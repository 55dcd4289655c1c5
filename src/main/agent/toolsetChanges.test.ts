import { beforeEach, expect, it } from 'vitest'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { assistant } from './context/testing/items.ts'
import type { Transcript } from './conversation/transcript.ts'
import { toolsetChanges } from './toolsetChanges.ts'

const conversation = (items: ConversationItem[] = []): Transcript => ({
  items: () => items,
  put: () => undefined,
  truncate: () => undefined,
  append: () => undefined,
  progress: () => undefined,
  note: () => undefined,
  flush: () => undefined,
})
const tool = (name: string, description = 'Does it.') => ({ name, description, parameters: {} })
let agent = {}
beforeEach(() => {
  agent = {}
})
const changes = (talk: Transcript, tools: ReturnType<typeof tool>[], problems: string[]) =>
  toolsetChanges(talk, tools, problems, agent)
const texts = (...given: Parameters<typeof changes>) => changes(...given).map((item) => item.text)

it('does not mention initial or unchanged tools', () => {
  const talk = conversation()
  expect(texts(talk, [tool('a')], [])).toEqual([])
  expect(texts(talk, [tool('a')], [])).toEqual([])
})

it('names tools added, removed and changed since the last turn', () => {
  const talk = conversation()
  changes(talk, [tool('a'), tool('b')], [])
  expect(texts(talk, [tool('b', 'Does more.'), tool('c')], [])).toEqual([
    'The tools changed since the last turn. Added: c. Removed: a. Changed: b.',
  ])
  expect(texts(conversation(), [tool('c')], [])).toEqual([])
})

it('names what the change costs, once a prompt was read', () => {
  const usage = { promptTokens: 31_000, completionTokens: 5 }
  const talk = conversation([{ ...assistant('a', 'Hi.'), usage }, assistant('b', '')])
  changes(talk, [tool('a')], [])
  expect(texts(talk, [tool('a'), tool('b')], [])).toEqual([
    'The tools changed since the last turn. Added: b. The model server reads the conversation again (31,000 tokens).',
  ])
})

it('reports a problem once, together with others, and again when it returns', () => {
  const talk = conversation()
  expect(texts(talk, [], ['x is down', 'y is down'])).toEqual(['x is down\ny is down'])
  expect(texts(talk, [], ['x is down'])).toEqual([])
  expect(texts(talk, [], [])).toEqual([])
  expect(texts(talk, [], ['x is down'])).toEqual(['x is down'])
})

it('a server that fails in every conversation, each time with another process and time, is reported once', () => {
  expect(texts(conversation(), [], ['x is down: process 12 at 10:31'])).toEqual(['x is down: process 12 at 10:31'])
  expect(texts(conversation(), [], ['x is down: process 345 at 11:02', 'y is down'])).toEqual(['y is down'])
})
