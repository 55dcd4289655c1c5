import { afterEach, beforeEach, expect, it } from 'vitest'
import { allFeatures } from '../base/features.ts'
import type { Attachment } from '../../shared/agent/attachments.ts'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { openTemporaryStore, type TemporaryStore } from '../testing/conversationStore.ts'
import { createAgent, type Agent } from './agent.ts'
import type { AgentDeps } from './agentDeps.ts'
import { createLiveConversations } from './liveConversations.ts'
import { outsideSource } from './outsideMessages.ts'

const resource = { kind: 'resource' as const, label: 'docs: guide://start', text: 'Begin.' }

let opened: TemporaryStore
let events: string[]
/** Called when a turn has ended. */
let turnEnded: () => void
let deps: AgentDeps
let agent: Agent

beforeEach(async () => {
  opened = await openTemporaryStore()
  events = []
  deps = {
    store: opened.store,
    settings: () => settingsSchema.parse({}),
    features: allFeatures,
    onOutsideContent: (_id: string, source: string) => events.push(source),
    emit(name: string) {
      if (name !== 'conversation.turnEnded') return
      events.push('end')
      turnEnded()
    },
  } as unknown as AgentDeps
  agent = createAgent(deps)
  // Turns of a conversation with an external agent end at once, because there is none.
  opened.store.add(
    { id: 'c', workspace: '/w', title: 'T', createdAt: 1, updatedAt: 2, mode: 'safe', toolset: 'blade', agent: 'x' },
    [],
  )
})
afterEach(() => opened.close())

/** Resolves when turns have ended. */
function ended(turns: number): Promise<void> {
  return new Promise((resolve) => {
    turnEnded = () => {
      if (--turns === 0) resolve()
    }
  })
}

it('a prompt or a resource in a queued message marks the turn in which it is sent, not the running one', async () => {
  const done = ended(3)
  agent.send('c', 'go')
  expect(agent.send('c', 'See @mcp:docs/guide://start.', { attachments: [resource] })).toEqual({ queued: true })
  agent.send('c', 'Review a.ts, please.', { serverPrompt: 'docs__review' })
  expect(events).toEqual([])
  await done
  expect(events).toEqual(['end', 'the resource docs: guide://start', 'end', 'the prompt /docs__review', 'end'])
})

it('a message that is sent again marks its turn again, also after a restart', async () => {
  let done = ended(1)
  agent.send('c', 'Review a.ts.', { serverPrompt: 'docs__review' })
  await done
  events = []
  agent = createAgent(deps)
  done = ended(1)
  agent.retry('c')
  await done
  expect(events).toEqual(['the prompt /docs__review', 'end'])
})

it('a message that steers the turn marks it when it is delivered', () => {
  const conversation = createLiveConversations(deps).use('c')
  conversation.queue.add({ id: 'q', text: 'Review a.ts.', steer: true, serverPrompt: 'docs__review' })
  expect(events).toEqual([])
  expect(conversation.takeSteered()).toBe(true)
  expect(events).toEqual(['the prompt /docs__review'])
  expect(conversation.transcript.items()).toMatchObject([{ steered: true, serverPrompt: 'docs__review' }])
})

it('messages of earlier turns do not mark a turn, and those that steered it do', () => {
  const user = { kind: 'user' as const, at: 1, text: 'x' }
  const items: ConversationItem[] = [
    { ...user, id: '1', attachments: [resource] },
    { ...user, id: '2' },
  ]
  expect(outsideSource(items)).toBeUndefined()
  expect(outsideSource([...items, { ...user, id: '3', steered: true, serverPrompt: 'docs__review' }])).toBe(
    'the prompt /docs__review',
  )
})

it('an element of a page in a message counts as content from outside', () => {
  const message: ConversationItem = {
    kind: 'user',
    id: 'a',
    at: 0,
    text: 'Change this',
    attachments: [{ kind: 'element', label: 'button "Save"', text: 'Selector: button' }],
  }
  expect(outsideSource([message])).toBe('an element of a page')
  const image: Attachment = {
    kind: 'image',
    label: 'page.png',
    id: 'x',
    mimeType: 'image/png',
    width: 1,
    height: 1,
    size: 1,
  }
  expect(outsideSource([{ ...message, attachments: [image] }])).toBeUndefined()
  expect(outsideSource([{ ...message, attachments: [{ ...image, fromPage: true }] }])).toBe('a picture of a page')
})
