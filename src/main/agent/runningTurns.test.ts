import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Features } from '../base/features.ts'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, waitForGate, say, type ScriptedChatRequest, type Reply } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { pathLocks } from '../base/pathLocks.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { emptyNudge, promiseNudge } from './guards/turnGuards.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

// Steering, queued messages and guards, through the whole core.

const never = new AbortController().signal
let home: Awaited<ReturnType<typeof temporaryFolder>>
let core: Core
let endpoint: ScriptedEndpoint

beforeEach(async () => {
  home = await temporaryFolder({ 'workspace/a.txt': 'one\n', 'user/': '' })
})
afterEach(async () => {
  await core.dispose()
  await endpoint.close()
  await home.remove()
})

/** A scripted model and a core that uses it. @param respond receives the request and its index */
async function start(
  respond: (request: ScriptedChatRequest, before: number) => Reply,
  features: Partial<Features> = {},
): Promise<string> {
  let asked = 0
  endpoint = await startScriptedEndpoint({ name: 'turns', turns: [], respond: (request) => respond(request, asked++) })
  await open(features)
  return (await core.handlers['conversations.create']({}, never)).info.id
}

async function open(features: Partial<Features> = {}): Promise<void> {
  core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(home.root, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
    },
    features,
  })
  await core.openWorkspace(join(home.root, 'workspace'))
}

function next<N extends EventName>(name: N, fits: (payload: Events[N]) => boolean = () => true): Promise<Events[N]> {
  return new Promise((resolve) => {
    const stop = core.subscribe((seen, payload) => {
      // `seen === name` determines the type of the payload, but the compiler does not narrow a type parameter.
      if (seen === (name as EventName) && fits(payload as Events[N])) {
        stop()
        resolve(payload as Events[N])
      }
    })
  })
}

const shown = (id: string) => core.handlers['conversations.open']({ id }, never)
const send = (id: string, text: string, steer = false) =>
  core.handlers['conversations.send']({ id, text, steer }, never)
/** The conversation in short: speaker and text. */
async function told(id: string): Promise<string[]> {
  return (await shown(id)).items.map((item: ConversationItem) =>
    item.kind === 'tool' ? `${item.name} ${item.state}` : `${item.kind}: ${'text' in item ? item.text : ''}`,
  )
}
async function turn(id: string, text = 'go'): Promise<string> {
  const ended = next('conversation.turnEnded')
  await send(id, text)
  return (await ended).outcome
}
const users = ({ messages }: ScriptedChatRequest) =>
  messages.flatMap((message) => (message.role === 'user' ? [message.content] : []))
const read = () => call('read_file', { path: 'a.txt' })

it('a message that interrupts stops the turn and is sent at once, before a queued one', async () => {
  const id = await start((request, before) =>
    before === 0 ? answer(say('Looking.'), waitForGate('never')) : answer(say(`Seen: ${users(request).join(' / ')}`)),
  )
  const talking = next('conversation.delta')
  await send(id, 'go')
  await talking
  await send(id, 'later')
  const queueDone = next('conversation.status', ({ running, queue }) => !running && queue.length === 0)
  const interrupt = { id, text: 'Stop, do this.', interrupt: true }
  expect(await core.handlers['conversations.send'](interrupt, never)).toEqual({ queued: false })
  await queueDone
  const texts = (await told(id)).filter((line) => !line.startsWith('notice'))
  expect(texts).toEqual([
    'user: go',
    'assistant: Looking.',
    'user: Stop, do this.',
    expect.stringContaining('Stop, do this.'),
    'user: later',
    expect.stringContaining('later'),
  ])
})

it('a message that interrupts is sent before a queued one even if the turn ends just then', async () => {
  const id = await start((request) => answer(say(`Seen: ${users(request).at(-1)}`)))
  const ended = next('conversation.status', ({ running, queue }) => !running && queue.length === 0)
  let result: unknown
  core.subscribe((name, payload) => {
    if (name !== 'conversation.item' || result !== undefined) return
    const { item } = payload as Events['conversation.item']
    if (item.kind === 'assistant' && item.state === 'done')
      result = core.handlers['conversations.send']({ id, text: 'now', interrupt: true }, never)
  })
  await send(id, 'go')
  for (const text of ['later', 'last']) await send(id, text)
  await ended
  const texts = (await told(id)).filter((line) => line.startsWith('user'))
  expect([await result, texts]).toEqual([{ queued: false }, ['user: go', 'user: now', 'user: later', 'user: last']])
})

it('a message that interrupts is stored until the turn has ended, also when the core ends meanwhile', async () => {
  // A command that takes long to stop.
  const command = "trap '' TERM INT HUP; echo ready; while true; do sleep 0.1; done"
  const id = await start(() => answer(say('Working.'), call('run_command', { command })))
  const started = next('job.output', ({ data }) => data.includes('ready'))
  await send(id, 'go')
  await started
  await send(id, 'later')
  const sent = [
    core.handlers['conversations.send']({ id, text: 'now', interrupt: true }, never),
    core.handlers['conversations.send']({ id, text: 'then', interrupt: true }, never),
  ]
  await vi.waitUntil(async () => (await shown(id)).queue.length === 3)
  await core.dispose()
  expect(await Promise.allSettled(sent.map(async (each) => each))).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ])
  await open()
  const { running, queue } = await shown(id)
  expect([running, queue.map(({ text }) => text)]).toEqual([false, ['now', 'then', 'later']])
})

describe('a steering message', () => {
  it('reaches the model after the results of the current calls, in the same turn', async () => {
    const id = await start((request, before) =>
      before === 0
        ? answer(say('Looking.'), waitForGate('look'), read(), call('list_dir', { path: '.' }))
        : answer(say(`I was told: ${users(request).join(' / ')}`)),
    )
    const talking = next('conversation.delta')
    const ended = next('conversation.turnEnded')
    await send(id, 'go')
    await talking
    expect(await send(id, 'Only look.', true)).toEqual({ queued: true })
    endpoint.release('look')
    await ended
    expect(await told(id)).toEqual([
      'user: go',
      'assistant: Looking.',
      'read_file done',
      'list_dir done',
      'user: Only look.',
      'assistant: I was told: go / Only look.',
    ])
    expect((await shown(id)).items.find((item) => item.kind === 'user' && item.text === 'Only look.')).toMatchObject({
      steered: true,
    })
  })

  it('continues the turn when the current answer was the last', async () => {
    const id = await start((request, before) =>
      before === 0 ? answer(say('Done.'), waitForGate('last')) : answer(say(users(request).at(-1) ?? '')),
    )
    const ended = next('conversation.turnEnded')
    const talking = next('conversation.delta')
    await send(id, 'go')
    await talking
    await send(id, 'And the tests?', true)
    endpoint.release('last')
    await ended
    expect(await told(id)).toEqual([
      'user: go',
      'assistant: Done.',
      'user: And the tests?',
      'assistant: And the tests?',
    ])
  })

  it('can be made from a queued message, which can also be edited and removed', async () => {
    const id = await start((_, before) =>
      before === 0 ? answer(say('Looking.'), waitForGate('look'), read()) : answer(say('ok')),
    )
    const talking = next('conversation.delta')
    const ended = next('conversation.turnEnded')
    await send(id, 'go')
    await talking
    for (const text of ['first', 'second', 'third']) await send(id, text)
    const { queue } = await shown(id)
    const change = (at: number, to: { text?: string; steer?: boolean }) =>
      core.handlers['conversations.changeQueued']({ id, messageId: String(queue[at]?.id), ...to }, never)
    await change(1, { steer: true, text: 'second, now' })
    await core.handlers['conversations.unqueue']({ id, messageId: String(queue[2]?.id) }, never)
    const [left] = (await shown(id)).queue
    expect(left).toEqual({ id: queue[0]?.id, text: 'first' })
    endpoint.release('look')
    await ended
    await next('conversation.turnEnded')
    expect((await told(id)).filter((line) => line.startsWith('user'))).toEqual([
      'user: go',
      'user: second, now',
      'user: first',
    ])
    await expect(Promise.resolve().then(() => change(1, { text: 'too late' }))).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('queued messages survive the process, and none is sent twice', async () => {
  const id = await start(() => answer(say('Half'), waitForGate('never')))
  const talking = next('conversation.delta')
  await send(id, 'go')
  await talking
  await send(id, 'afterwards')
  await send(id, 'now', true)
  await core.dispose()
  await open()
  const { queue, running } = await shown(id)
  expect({ running, queue }).toMatchObject({
    running: false,
    queue: [{ text: 'afterwards' }, { text: 'now', steer: true }],
  })
})

describe('a model that repeats its calls', () => {
  it('is warned, then stopped; after Continue the count starts again', async () => {
    const warned: boolean[] = []
    const id = await start(({ messages }) => {
      warned.push(messages.at(-1)?.content.includes('with the same result') ?? false)
      return answer(read())
    })
    expect(await turn(id)).toBe('stuck')
    expect(warned).toEqual([false, false, false, true, true])
    expect((await shown(id)).items.at(-1)).toMatchObject({
      kind: 'notice',
      level: 'warning',
      action: 'continue',
      text: expect.stringContaining('5 times'),
    })
    const again = next('conversation.turnEnded')
    await core.handlers['conversations.continue']({ id }, never)
    expect((await again).outcome).toBe('stuck')
    expect(warned).toHaveLength(10)
  })

  it('leaves no later call of the same answer open', async () => {
    const id = await start(() => answer(read(), read(), read(), read(), read(), read()))
    expect(await turn(id)).toBe('stuck')
    expect((await told(id)).slice(2, -1)).toEqual([...Array<string>(5).fill('read_file done'), 'read_file cancelled'])
  })

  it('continues to the request limit when guards are disabled', async () => {
    const id = await start((_, before) => answer(before < 8 ? read() : say('enough')), { guards: false })
    expect(await turn(id)).toBe('done')
  })
})

describe('a model that stops early', () => {
  it('gets one nudge for an empty answer and one for an announced call', async () => {
    const id = await start((_, before) => {
      if (before === 0) return answer()
      if (before === 1) return answer(say('I will now read the file.'))
      return answer(before === 2 ? read() : say('Done.'))
    })
    expect(await turn(id)).toBe('done')
    expect(await told(id)).toEqual([
      'user: go',
      'assistant: ',
      `user: ${emptyNudge}`,
      'assistant: I will now read the file.',
      `user: ${promiseNudge}`,
      'assistant: ',
      'read_file done',
      'assistant: Done.',
    ])
  })

  it("stops after a second empty answer, and Retry resends the user's message", async () => {
    const id = await start((_, before) => (before < 2 ? answer() : answer(say('Here.'))))
    expect(await turn(id)).toBe('done')
    expect((await shown(id)).items.at(-1)).toMatchObject({ kind: 'notice', action: 'retry' })
    const again = next('conversation.turnEnded')
    await core.handlers['conversations.retry']({ id }, never)
    await again
    expect(await told(id)).toEqual(['user: go', 'assistant: Here.'])
    expect(await core.handlers['conversations.list']({}, never)).toHaveLength(1)
  })

  it('keeps the calls that Retry removes in a copy', async () => {
    const id = await start((_, before) => answer(before === 0 ? read() : say('Read.')))
    await turn(id)
    const again = next('conversation.turnEnded')
    await core.handlers['conversations.retry']({ id }, never)
    await again
    expect(await told(id)).toEqual([
      'user: go',
      'notice: The earlier version is in the history as "go (before trying again)".',
      'assistant: Read.',
    ])
    const copy = (await core.handlers['conversations.list']({}, never))[1]
    expect(await told(String(copy?.id))).toEqual(['user: go', 'assistant: ', 'read_file done', 'assistant: Read.'])
  })
})

describe('an edit that breaks a file', () => {
  const broken = () => call('write_file', { path: 'b.ts', content: 'function f() {\n' })

  it('is reported in the result, to the model and on the card', async () => {
    const read: string[] = []
    const id = await start(({ messages }, before) => {
      read.push(messages.at(-1)?.content ?? '')
      return answer(before === 0 ? broken() : say('Oh.'))
    })
    await turn(id)
    expect(read[1]).toMatch(
      /This edit caused syntax errors:\nb\.ts:\d: "\}" is missing\nRead these lines and fix them\.\]$/,
    )
    const result = (await shown(id)).items.find((item) => item.kind === 'tool')?.result
    expect(result).toMatchObject({
      ok: true,
      view: { kind: 'diff', problems: [{ path: 'b.ts', message: '"}" is missing' }] },
    })
  })

  it('is not reported when diagnostics are disabled', async () => {
    const id = await start((_, before) => answer(before === 0 ? broken() : say('ok')), { diagnostics: false })
    await turn(id)
    expect((await shown(id)).items.find((item) => item.kind === 'tool')?.result?.text).not.toContain('syntax')
  })
})

describe('a setting that is still being saved', () => {
  /** Locks the settings file, as another process does while it writes. @returns a function that releases the lock */
  async function lockSettings(): Promise<() => void> {
    const [entered, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    void pathLocks.run([join(home.root, 'user', 'settings.json')], () => {
      entered.resolve()
      return end.promise
    })
    await entered.promise
    return end.resolve
  }

  it('applies to the turn of a message that follows it', async () => {
    let offered: readonly string[] = []
    const id = await start(({ tools }) => {
      offered = tools
      return answer(say('Done.'))
    })
    await turn(id)
    expect(offered).toContain('read_file')

    const unlock = await lockSettings()
    void core.handlers['settings.set']({ disabledTools: { blade: ['read_file'] } }, never)
    const ended = next('conversation.turnEnded')
    await send(id, 'again')
    // Long enough for a turn to send its request if it does not wait for the setting.
    for (let round = 0; round < 5; round++) await fetch(`${endpoint.url}/v1/models`)
    unlock()
    await ended
    expect(offered).toContain('list_dir')
    expect(offered).not.toContain('read_file')
    expect((await told(id)).filter((line) => line.startsWith('notice'))).toEqual([
      expect.stringContaining('Removed: read_file.'),
    ])
  })

  it('applies to a conversation that is created after it', async () => {
    await start(() => answer(say('Done.')))
    void core.handlers['settings.set']({ mode: 'plan' }, never)
    expect((await core.handlers['conversations.create']({}, never)).info.mode).toBe('plan')
  })
})
