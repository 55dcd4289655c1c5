import { beforeEach, describe, expect, test } from 'vitest'
import type { ToolItem } from '../../shared/agent/conversation.ts'
import type { ToolErrorCode } from '../../shared/errors.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { ModelError, type ModelEvent } from '../model/modelClient.ts'
import { createGuards } from './guards/turnGuards.ts'
import { userItem } from './conversation/items.ts'
import { runLoop, type LoopDeps } from './loop.ts'
import { maxParallelCalls, type CallObserver, type PreparedCall } from './toolCalls.ts'
import { createMemoryTranscript, type Transcript } from './conversation/transcript.ts'

const text = (written: string): ModelEvent => ({ kind: 'text', text: written })
const call = (name: string, id = name): ModelEvent => ({ kind: 'call', call: { id, name, arguments: '{}' } })
const result = (written: string, code?: ToolErrorCode): ToolResult => ({
  ok: code === undefined,
  text: written,
  view: { kind: 'text' },
  elapsedMs: 1,
  arguments: {},
  truncated: false,
  ...(code && { error: { code, message: written, next: '' } }),
})

/** A tool call that the test ends. */
interface OpenCall extends CallObserver {
  name: string
  end(result?: ToolResult): void
  fail(error: Error): void
}

let transcript: Transcript
let controller: AbortController
/** Calls that run, in the order in which they started. */
let open: OpenCall[]
let started: string[]

beforeEach(() => {
  transcript = createMemoryTranscript([userItem('u', 'Go', 'safe')])
  controller = new AbortController()
  open = []
  started = []
})

/** A loop whose model sends `answers`. Tools named `read…` run in parallel; each call waits until the test ends it. */
function loop(answers: ModelEvent[][], change: Partial<LoopDeps> = {}) {
  const queue = answers.values()
  return runLoop({
    transcript,
    model: 'scripted',
    request: () => Promise.resolve({ messages: [], tools: [] }),
    async *stream() {
      yield* queue.next().value ?? [text('Done.')]
    },
    prepareCall: ({ name }) =>
      preparedCall(name, (observer) => {
        started.push(name)
        const { promise, resolve, reject } = Promise.withResolvers<ToolResult>()
        const leave = () => {
          open = open.filter((other) => other !== entry)
        }
        const entry: OpenCall = {
          name,
          ...observer,
          end: (ended = result(`Result of ${name}`)) => resolve(ended),
          fail: reject,
        }
        open.push(entry)
        observer.signal.addEventListener('abort', () => resolve(result('Cancelled', 'cancelled')))
        if (observer.signal.aborted) resolve(result('Cancelled', 'cancelled'))
        return promise.finally(leave)
      }),
    maxRequests: 10,
    guards: createGuards({ guards: true, nudge: true }),
    mode: () => 'safe',
    signal: controller.signal,
    ...change,
  })
}

const instantly: Pick<LoopDeps, 'prepareCall'> = {
  prepareCall: ({ name }) =>
    preparedCall(name, () => {
      started.push(name)
      return Promise.resolve(result(`Result of ${name}`))
    }),
}

/** Tools named `read…` only read. */
function preparedCall(name: string, run: PreparedCall['run']): PreparedCall {
  const onlyReads = name.startsWith('read')
  return { onlyReads, runsInParallel: onlyReads, run }
}

const calls = () => transcript.items().filter((item): item is ToolItem => item.kind === 'tool')
const recorded = () => calls().filter((item) => item.result)
const notices = () => transcript.items().flatMap((item) => (item.kind === 'notice' ? [item.text] : []))
const running = () => expect.poll(() => open.map(({ name }) => name))
const endCall = (name: string, ended?: ToolResult) => open.find((entry) => entry.name === name)?.end(ended)

describe('the loop', () => {
  test('ends with the first answer that makes no call', async () => {
    expect(await loop([[text('Hello.')]])).toEqual({ outcome: 'done' })
    expect(transcript.items().at(-1)).toMatchObject({ kind: 'assistant', text: 'Hello.', state: 'done' })
  })

  describe('an answer that repeats itself', () => {
    const endless = Array.from({ length: 400 }, () => text('The secret word is: '))

    test('is stopped, shortened and requested once more with settings against it', async () => {
      const sent: (boolean | undefined)[] = []
      let closed = 0
      const answers = [endless, [text('Rhubarb.')]].values()
      const end = await loop([], {
        async *stream({ againstRepetition }) {
          sent.push(againstRepetition)
          try {
            yield* answers.next().value ?? []
          } finally {
            closed += 1
          }
        },
      })
      expect(end).toEqual({ outcome: 'done' })
      expect(sent).toEqual([undefined, true])
      expect(closed).toBe(2)
      expect(transcript.items().slice(1)).toMatchObject([
        { kind: 'assistant', text: 'The secret word is: ', state: 'stopped' },
        { kind: 'notice', text: expect.stringContaining('repeated itself') },
        { kind: 'assistant', text: 'Rhubarb.', state: 'done' },
      ])
    })

    test('twice ends the turn with an outcome of its own; so do thoughts', async () => {
      expect(await loop([endless, endless])).toMatchObject({ outcome: 'repeating' })
      const thoughts = endless.map((event) => ({ ...event, kind: 'reasoning' }) as ModelEvent)
      expect(await loop([thoughts, thoughts])).toMatchObject({ outcome: 'repeating' })
    })
  })

  test('a truncated answer has an outcome of its own', async () => {
    expect(await loop([[text('Half'), { kind: 'finish', reason: 'length' }]])).toEqual({ outcome: 'truncated' })
  })

  test('stores text as reasoning when its closing tag arrives later', async () => {
    await loop([[text('I should '), text('look.'), { kind: 'wasReasoning' }, text('Hello.')]])
    expect(transcript.items().at(-1)).toMatchObject({ reasoning: 'I should look.', text: 'Hello.', state: 'done' })
  })

  test('stores a call with effects before it runs; one that only reads need not be stored yet', async () => {
    const stored: string[] = []
    const memory = transcript
    transcript = {
      ...memory,
      put(item, when = 'now') {
        memory.put(item)
        if (item.kind === 'tool') stored.push(`${item.name} ${item.result ? 'ended' : 'begun'} ${when}`)
      },
      flush: () => void stored.push('flush'),
    }
    const prepareCall: LoopDeps['prepareCall'] = ({ name }) =>
      preparedCall(name, () => {
        stored.push(`${name} runs`)
        return Promise.resolve(result(`Result of ${name}`))
      })
    await loop([[call('read')], [call('write')]], { prepareCall })
    expect(stored.filter((line) => line !== 'read begun later' && line !== 'write begun later')).toEqual([
      'read runs',
      'read ended later',
      'flush',
      'write runs',
      'write ended now',
    ])
  })

  test('sends the results of calls with the next request', async () => {
    const seen: number[] = []
    const request = () => {
      seen.push(recorded().length)
      return Promise.resolve({ messages: [], tools: [] })
    }
    expect(await loop([[call('read')], [call('write')]], { ...instantly, request })).toEqual({ outcome: 'done' })
    expect(seen).toEqual([0, 1, 2])
  })

  test('continues with the reason of a hook that refuses the end, and ends when it does not', async () => {
    const reasons = ['Run the tests.']
    const beforeEnd = async () => reasons.pop()
    expect(await loop([[text('First.')], [text('Second.')]], { beforeEnd })).toEqual({ outcome: 'done' })
    expect(transcript.items()).toMatchObject([
      { text: 'Go' },
      { text: 'First.' },
      { kind: 'user', text: 'Run the tests.', nudge: true, hooked: true },
      { text: 'Second.' },
    ])
  })

  test('ends after a call whose hook ends the turn', async () => {
    const ended = { ...result('done'), endTurn: 'The hook ended the turn.' }
    const prepareCall = () => ({ runsInParallel: false, onlyReads: false, run: async () => ended })
    expect(await loop([[call('write')], [text('Never.')]], { prepareCall })).toMatchObject({ outcome: 'stuck' })
    expect(transcript.items().at(-1)).toMatchObject({ kind: 'notice', text: 'The hook ended the turn.' })
  })

  test('continues when the user has sent a message in the meantime', async () => {
    const waiting = ['One more thing']
    const takeSteered = () => {
      const message = waiting.pop()
      if (message !== undefined) transcript.put(userItem('u2', message, 'safe'))
      return message !== undefined
    }
    await loop([[text('First.')], [text('Second.')]], { takeSteered })
    expect(transcript.items().map((item) => ('text' in item ? item.text : ''))).toEqual([
      'Go',
      'First.',
      'One more thing',
      'Second.',
    ])
  })

  test('stops after the maximum number of requests', async () => {
    const answers = [1, 2, 3].map((round) => [call(`read_${round}`)])
    expect(await loop(answers, { ...instantly, maxRequests: 2 })).toEqual({ outcome: 'turn_limit' })
    expect(started).toEqual(['read_1', 'read_2'])
    expect(notices()).toEqual(['Stopped after 2 requests in one turn (the limit in the settings).'])
  })

  test('reports a model error as an outcome and in the transcript', async () => {
    const stream = async function* (): AsyncGenerator<ModelEvent> {
      yield text('Half an')
      throw new ModelError('unreachable', 'The server is gone.', 'Start it.')
    }
    expect(await loop([], { stream })).toEqual({ outcome: 'endpoint_failed', problem: 'The server is gone.' })
    expect(transcript.items().find((item) => item.kind === 'assistant')).toMatchObject({
      text: 'Half an',
      state: 'failed',
    })
    expect(notices()).toEqual(['The server is gone.\nStart it.'])
  })

  test('passes unexpected errors on', async () => {
    await expect(loop([], { request: () => Promise.reject(new Error('disk full')) })).rejects.toThrow('disk full')
  })

  test('ends with approval_needed when a call lacked approval', async () => {
    const run = () => Promise.resolve(result('Nobody can approve it.', 'approval_required'))
    expect(await loop([[call('write')]], { prepareCall: ({ name }) => preparedCall(name, run) })).toEqual({
      outcome: 'approval_needed',
    })
    expect(calls()[0]?.state).toBe('refused')
  })

  test('sends one more request after an empty answer', async () => {
    expect(await loop([[], []])).toEqual({ outcome: 'done' })
    expect(transcript.items().filter((item) => item.kind === 'user' && item.nudge)).toHaveLength(1)
  })

  test('cancels the calls that still run when a repetition ends the turn', async () => {
    const repeated = Array.from({ length: 6 }, (_, index) => call('read', `r${index}`))
    const done = loop([repeated])
    for (const stage of [1, 2, 3, 4, 5]) {
      await expect.poll(() => started.length).toBeGreaterThanOrEqual(stage)
      open[0]?.end(result('same'))
    }
    expect(await done).toMatchObject({ outcome: 'stuck', problem: expect.stringContaining('5 times') })
    expect(calls().map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done', 'done', 'cancelled'])
    expect(open).toEqual([])
  })
})

test('a discarded answer leaves nothing: no text, no card, no call', async () => {
  const ended = loop([
    [
      { kind: 'reasoning', text: 'Hm.' },
      text('I have read it.'),
      { kind: 'callStarted', id: 'a', name: 'read_a' },
      call('write_b', 'b'),
      { kind: 'discarded' },
      text('Now really.'),
      call('read_c', 'c'),
    ],
  ])
  await expect.poll(() => started).toEqual(['read_c'])
  open[0]?.end()
  await ended
  expect(transcript.items().slice(1, 3)).toMatchObject([
    { kind: 'assistant', text: 'Now really.', reasoning: '' },
    { kind: 'tool', name: 'read_c', state: 'done' },
  ])
  expect(transcript.items().filter(({ kind }) => kind === 'tool')).toHaveLength(1)
})

describe('calls of one answer', () => {
  test('that only read run together, and their results are recorded in the order of the calls', async () => {
    const done = loop([[call('read_a'), call('read_b'), call('read_c')]])
    await running().toEqual(['read_a', 'read_b', 'read_c'])
    endCall('read_c')
    endCall('read_b')
    await running().toEqual(['read_a'])
    expect(recorded()).toEqual([])
    endCall('read_a')
    await done
    expect(recorded().map(({ result: ended }) => ended?.text)).toEqual([
      'Result of read_a',
      'Result of read_b',
      'Result of read_c',
    ])
  })

  test('run at most four at a time', async () => {
    expect(maxParallelCalls).toBe(4)
    const names = [1, 2, 3, 4, 5, 6].map((number) => `read_${number}`)
    const done = loop([names.map((name) => call(name))])
    await running().toEqual(names.slice(0, 4))
    endCall('read_2')
    await running().toEqual(['read_1', 'read_3', 'read_4', 'read_5'])
    for (const name of names.slice(0, 5)) endCall(name)
    await running().toEqual(['read_6'])
    endCall('read_6')
    expect(await done).toEqual({ outcome: 'done' })
    expect(recorded().map(({ name }) => name)).toEqual(names)
  })

  test('that write wait for earlier reads and hold back later ones', async () => {
    const done = loop([[call('read_1'), call('read_2'), call('write'), call('read_3'), call('read_4')]])
    await running().toEqual(['read_1', 'read_2'])
    endCall('read_2')
    await running().toEqual(['read_1'])
    endCall('read_1')
    await running().toEqual(['write'])
    endCall('write')
    await running().toEqual(['read_3', 'read_4'])
    endCall('read_3')
    endCall('read_4')
    await done
    expect(recorded().map(({ name }) => name)).toEqual(['read_1', 'read_2', 'write', 'read_3', 'read_4'])
  })

  test('that need approval run one after another', async () => {
    const done = loop([[call('ask_1'), call('ask_2')]])
    await running().toEqual(['ask_1'])
    open[0]?.onState('approval')
    expect(calls().map(({ state }) => state)).toEqual(['approval', 'streaming'])
    endCall('ask_1')
    await running().toEqual(['ask_2'])
    endCall('ask_2')
    expect(await done).toEqual({ outcome: 'done' })
  })

  test('continue when one of them fails', async () => {
    const done = loop([[call('read_1'), call('read_2'), call('read_3')]])
    await running().toHaveLength(3)
    endCall('read_2', result('No such file', 'not_found'))
    endCall('read_1')
    endCall('read_3')
    expect(await done).toEqual({ outcome: 'done' })
    expect(calls().map(({ state }) => state)).toEqual(['done', 'failed', 'done'])
  })

  test('are all cancelled when the user stops the turn, and no later call starts', async () => {
    const names = [1, 2, 3, 4, 5].map((number) => `read_${number}`)
    const done = loop([[...names.map((name) => call(name)), call('write')]])
    await running().toEqual(names.slice(0, 4))
    endCall('read_1')
    await expect.poll(() => recorded().length).toBe(1)
    controller.abort()
    expect(await done).toEqual({ outcome: 'cancelled' })
    expect(calls().map(({ state }) => state)).toEqual(['done', ...Array<string>(5).fill('cancelled')])
    expect(open).toEqual([])
  })

  test('are cancelled and awaited when one throws an unexpected error', async () => {
    const done = loop([[call('read_1'), call('read_2')]])
    const failed = expect(done).rejects.toThrow('disk full')
    await running().toEqual(['read_1', 'read_2'])
    open[0]?.fail(new Error('disk full'))
    await failed
    expect(open).toEqual([])
  })
})
