import { expect, it } from 'vitest'
import type { HookOutcome, HookRequest } from '../hooks/hooks.ts'
import { noticeItem, userItem } from './conversation/items.ts'
import { createMemoryTranscript } from './conversation/transcript.ts'
import { createTurnHooks } from './turnHooks.ts'

const { signal } = new AbortController()
const caller = () => ({ client: 'window', mode: 'safe' }) as const

/** Hooks that answer each event with the outcomes of a function. */
function fakeHooks(answer: (request: HookRequest) => Partial<HookOutcome> | undefined) {
  const requests: HookRequest[] = []
  return {
    requests,
    hooks: {
      reactTo: async () => true,
      async run(request: HookRequest): Promise<HookOutcome> {
        requests.push(request)
        return { changedBy: [], context: [], notes: [], ...answer(request) }
      },
    },
  }
}

it('a refused message is removed, so that no later request sends it, and a notice keeps its text', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'My key is needle', 'safe')])
  const { hooks } = fakeHooks(({ event }) =>
    event === 'UserPromptSubmit' ? { blocked: 'The hook refused. Its reason: a key.' } : undefined,
  )
  const turn = createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  expect(await turn.checkMessages()).toBe(false)
  expect(transcript.items()).toMatchObject([{ kind: 'notice', level: 'warning' }])
  expect(JSON.stringify(transcript.items())).toMatch(/Its reason: a key[^]*My key is needle/)
})

it('of several steering messages, only the refused one is removed', async () => {
  const messages = [userItem('1', 'one', 'safe'), userItem('2', 'bad', 'safe'), userItem('3', 'three', 'safe')]
  const transcript = createMemoryTranscript(messages)
  const { hooks } = fakeHooks(({ fields }) => (fields['prompt'] === 'bad' ? { blocked: 'No.' } : undefined))
  const turn = createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  expect(await turn.checkMessages()).toBe(true)
  expect(transcript.items().map((item) => (item.kind === 'user' ? item.text : item.kind))).toEqual([
    'one',
    'three',
    'notice',
  ])
})

it('text of hooks at the start and for the message follows the message, once', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'Hello', 'safe')])
  const { hooks, requests } = fakeHooks(({ event }) => ({ context: [`text for ${event}`] }))
  const turn = () => createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  expect(await turn().checkMessages()).toBe(true)
  expect(transcript.items()).toMatchObject([
    { text: 'Hello', hooked: true, hookContext: 'text for SessionStart\n\ntext for UserPromptSubmit' },
  ])
  // Retry sends the same message again.
  expect(await turn().checkMessages()).toBe(true)
  expect(requests.map(({ event }) => event)).toEqual(['SessionStart', 'UserPromptSubmit'])
  expect(requests[0]?.names).toEqual(['startup'])
})

it('text at the start is kept until a message carries it', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'bad', 'safe')])
  const { hooks, requests } = fakeHooks(({ event, fields }) =>
    event === 'SessionStart'
      ? { context: ['text at the start'] }
      : fields['prompt'] === 'bad'
        ? { blocked: 'No.' }
        : undefined,
  )
  const turn = () => createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  expect(await turn().checkMessages()).toBe(false)
  transcript.put(userItem('2', 'good', 'safe'))
  expect(await turn().checkMessages()).toBe(true)
  expect(transcript.items().at(-1)).toMatchObject({ text: 'good', hookContext: 'text at the start' })
  expect(requests.filter(({ event }) => event === 'SessionStart')).toHaveLength(1)
})

it('a start that was cancelled is made again with the next message', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'Hello', 'safe')])
  let cancelled = true
  const { hooks } = fakeHooks(({ event }) => {
    if (event === 'SessionStart' && cancelled) throw new DOMException('Cancelled', 'AbortError')
    return event === 'SessionStart' ? { context: ['text at the start'] } : undefined
  })
  const turn = () => createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  await expect(turn().checkMessages()).rejects.toThrow('Cancelled')
  cancelled = false
  expect(await turn().checkMessages()).toBe(true)
  expect(transcript.items()).toMatchObject([{ hookContext: 'text at the start' }])
})

it('a hook that ends the turn at the start keeps the message from the model', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'Hello', 'safe')])
  const { hooks, requests } = fakeHooks(({ event }) =>
    event === 'SessionStart' ? { endTurn: 'The hook ended the turn. Its reason: Closed.' } : undefined,
  )
  const turn = () => createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  expect(await turn().checkMessages()).toBe(false)
  expect(transcript.items()).toMatchObject([{ kind: 'notice', text: expect.stringMatching(/Closed[^]*Hello/) }])
  // A retry, whose message was sent before.
  const sent = createMemoryTranscript([{ ...userItem('1', 'Hello', 'safe'), hooked: true }])
  const retry = createTurnHooks({ hooks, transcript: sent, conversationId: 'd', caller, signal })
  expect(await retry.checkMessages()).toBe(false)
  expect(sent.items().at(-1)).toMatchObject({ kind: 'notice', text: expect.stringContaining('Closed.') })
  // It decides about the next message too.
  transcript.put(userItem('2', 'Again', 'safe'))
  expect(await turn().checkMessages()).toBe(false)
  expect(requests.map(({ event }) => event)).toEqual(['SessionStart', 'SessionStart', 'SessionStart'])
})

it('a hook can continue a turn a limited number of times, and learns that it does', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'Hello', 'safe')])
  const { hooks, requests } = fakeHooks(() => ({ blocked: 'Run the tests.' }))
  const turn = createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal })
  const answers: (string | undefined)[] = []
  for (let index = 0; index < 4; index++) answers.push(await turn.beforeEnd())
  expect(answers).toEqual(['Run the tests.', 'Run the tests.', 'Run the tests.', undefined])
  expect(requests.map(({ fields }) => fields['stop_hook_active'])).toEqual([false, true, true, true])
  expect(transcript.items().at(-1)).toMatchObject({ kind: 'notice', text: expect.stringContaining('may continue') })
})

it('a sub-agent has its own event at its end, and its prompt is no message', async () => {
  const transcript = createMemoryTranscript([userItem('1', 'Look', 'safe'), noticeItem('info', 'x')])
  const { hooks, requests } = fakeHooks(() => undefined)
  const turn = createTurnHooks({ hooks, transcript, conversationId: 'c', caller, signal, isSubAgent: true })
  expect(await turn.beforeEnd()).toBeUndefined()
  expect(requests.map(({ event }) => event)).toEqual(['SubagentStop'])
})
