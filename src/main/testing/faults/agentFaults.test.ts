import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { createCore, type Core } from '../../core.ts'
import {
  answer,
  call,
  disconnect,
  raw,
  say,
  step,
  waitForGate,
  type Reply,
  type Scenario,
  type ScriptedChatRequest,
} from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { mountSmallDisk } from '../../workspace/testing/disk.ts'
import { isLongForm } from '../longForm.ts'
import { variedText } from '../variedText.ts'
import { coreOptions } from './killedHost.ts'

// Faults around a turn: the server, the disk, the clock, and many turns.

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint | undefined
let core: Core | undefined
let unmount: (() => Promise<void>) | null = null

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n' })
  data = await temporaryFolder()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await core?.dispose()
  await endpoint?.close()
  core = endpoint = undefined
  await unmount?.()
  unmount = null
  await Promise.all([folder.remove(), data.remove()])
})

async function open(scenario: Scenario): Promise<Core> {
  endpoint = await startScriptedEndpoint(scenario)
  core = await createCore(coreOptions('headless', data.root, endpoint.url))
  await core.openWorkspace(folder.root)
  return core
}

async function newConversation({ handlers }: Core): Promise<string> {
  return (await handlers['conversations.create']({}, never)).info.id
}

/** Sends a message. @returns how the turn ended */
async function send(made: Core, id: string, text: string, during?: () => Promise<void>): Promise<string> {
  const ended = Promise.withResolvers<string>()
  const stop = made.subscribe((name, payload) => {
    if (name === 'conversation.turnEnded' && payload && 'outcome' in payload) ended.resolve(payload.outcome)
  })
  await made.handlers['conversations.send']({ id, text }, never)
  await during?.()
  const outcome = await ended.promise
  stop()
  return outcome
}

const itemsOf = async (made: Core, id: string): Promise<ConversationItem[]> =>
  (await made.handlers['conversations.open']({ id }, never)).items
const textOf = (name: string) => readFile(path.join(folder.root, name), 'utf8')
const next = { prompt: /next$/, steps: [step('ends', say('Fine.'))] }
const writes = step('writes', call('write_file', { path: 'a.txt', content: 'two\n' }))
const faulty = (reply: Reply): Scenario => ({
  name: 'faulty',
  turns: [next, { prompt: /^go/, steps: [writes, { title: 'fails', play: () => reply }] }],
})

describe('a server that fails in the middle of a turn', () => {
  it.each<[string, Reply]>([
    ['closes the connection', answer(say('The begin'), disconnect)],
    ['answers 500', { status: 500, body: 'Internal Server Error' }],
    ['responds with a page', { status: 200, body: '<html>Gateway</html>' }],
    ['sends garbage', { ...answer(raw('data: {"choices": [{\n\ndata: \u0000\u0001]\n\n:\n')), finish: null }],
    ['ends without a reason', { ...answer(say('The begin')), finish: null }],
  ])('%s: the conversation shows a notice and can continue, and the file keeps its change', async (_, reply) => {
    const made = await open(faulty(reply))
    const id = await newConversation(made)
    const outcome = await send(made, id, 'go')
    if (outcome !== 'done') expect((await itemsOf(made, id)).at(-1)).toMatchObject({ kind: 'notice' })
    expect(await textOf('a.txt')).toBe('two\n')
    expect(await send(made, id, 'next')).toBe('done')
    for (const item of await itemsOf(made, id)) if (item.kind === 'assistant') expect(item.state).not.toBe('streaming')
  })

  it('hangs: stopping ends the turn, and the conversation can continue', async () => {
    const made = await open(faulty(answer(say('The begin. '), waitForGate('never'))))
    const id = await newConversation(made)
    const outcome = await send(made, id, 'go', async () => {
      await vi.waitFor(async () => expect((await itemsOf(made, id)).at(-1)).toMatchObject({ text: 'The begin.' }))
      await made.handlers['conversations.stop']({ id }, never)
    })
    expect(outcome).toBe('cancelled')
    expect(await send(made, id, 'next')).toBe('done')
  })
})

describe('a clock that jumps', () => {
  const day = 24 * 60 * 60 * 1000
  it.each([
    ['a day back', -day],
    ['a day ahead', day],
    ['to 1970', -Date.now()],
  ])('%s changes neither the order of a conversation nor what a checkpoint restores', async (_, jump) => {
    const made = await open({
      name: 'clock',
      turns: [next, { prompt: /^go/, steps: [writes, step('ends', say('Done.'))] }],
    })
    const id = await newConversation(made)
    const now = Date.now.bind(Date)
    expect(await send(made, id, 'next')).toBe('done')
    vi.spyOn(Date, 'now').mockImplementation(() => now() + jump)
    expect(await send(made, id, 'go')).toBe('done')
    vi.restoreAllMocks()
    await writeFile(path.join(folder.root, 'a.txt'), 'six\n')
    expect(await send(made, id, 'next')).toBe('done')
    const items = await itemsOf(made, id)
    expect(items.flatMap((item) => (item.kind === 'user' ? [item.text] : []))).toEqual(['next', 'go', 'next'])
    const message = items.find((item) => item.kind === 'user' && item.text === 'go')
    await made.handlers['conversations.restore'](
      { id, itemId: message?.id ?? '', files: true, conversation: false },
      never,
    )
    expect(await textOf('a.txt')).toBe('one\n')
  })
})

it('a full disk of the user data folder fails turns with a reason; the conversation continues once there is space', async (test) => {
  unmount = await mountSmallDisk(data.root, '4m')
  if (!unmount) test.skip('only root can mount a small disk')
  const made = await open({
    name: 'full',
    turns: [next, { prompt: /^go/, steps: [writes, step('ends', say('Done.'))] }],
  })
  const id = await newConversation(made)
  expect(await send(made, id, 'next')).toBe('done')
  const filler = path.join(data.root, 'filler')
  const chunk = Buffer.alloc(4096)
  await (async () => {
    for (;;) await writeFile(filler, chunk, { flag: 'a' })
  })().catch((error: unknown) => expect(error).toMatchObject({ code: 'ENOSPC' }))
  const notices: string[] = []
  made.subscribe((name, payload) => {
    if (name === 'notice' && payload && 'message' in payload) notices.push(payload.message)
  })
  const refused = await send(made, id, 'go').catch((error: unknown) => String(error))
  expect(['one\n', 'two\n']).toContain(await textOf('a.txt'))
  expect(await readdir(folder.root)).toEqual(['a.txt'])
  if (refused !== 'done') expect([...notices, refused].join('\n')).toMatch(/disk|space/i)
  await rm(filler)
  expect(await send(made, id, 'next')).toBe('done')
})

describe('many turns', () => {
  const conversations = isLongForm ? 200 : 2
  const turns = isLongForm ? 50 : 12
  /** Bytes in use after a collection. */
  const heap = (): number => {
    setFlagsFromString('--expose-gc')
    ;(runInNewContext('gc') as () => void)()
    return process.memoryUsage().heapUsed
  }
  const descriptors = async (): Promise<number> =>
    process.platform === 'linux' ? (await readdir('/proc/self/fd')).length : 0

  function report(figures: readonly { heap: number; descriptors: number }[]): void {
    const [first, last] = [figures[0], figures.at(-1)]
    console.log(
      `${figures.length * turns} turns: heap ${first?.heap} to ${last?.heap} bytes, descriptors ${first?.descriptors} to ${last?.descriptors}`,
    )
  }

  it(
    'with repeated summaries do not increase memory or descriptors',
    async () => {
      const respond = ({ tools, messages }: ScriptedChatRequest): Reply => {
        if (tools.length === 0) return answer(say('Summary.'))
        const last = messages.at(-1)
        if (last?.role === 'user') return answer(call('write_file', { path: 'a.txt', content: `${messages.length}\n` }))
        return answer(say(`Answer. ${variedText(150)}`))
      }
      const made = await open({ name: 'many', turns: [], contextWindow: 8192, respond })
      const figures: { heap: number; descriptors: number }[] = []
      for (let conversation = 0; conversation < conversations; conversation += 1) {
        const id = await newConversation(made)
        for (let turn = 0; turn < turns; turn += 1)
          expect(await send(made, id, `message ${turn} ${'word '.repeat(200)}`)).toBe('done')
        expect((await itemsOf(made, id)).some((item) => item.kind === 'summary')).toBe(true)
        await made.handlers['conversations.delete']({ id }, never)
        // The requests that the endpoint stores for assertions are not the agent's memory.
        if (endpoint) (endpoint.requests as unknown[]).length = 0
        figures.push({ heap: heap(), descriptors: await descriptors() })
        if (figures.length % 20 === 0) report(figures)
      }
      const [first, last] = [figures[Math.floor(conversations / 10)], figures.at(-1)]
      report(figures)
      // The number of kept-alive connections varies.
      expect(last?.descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + 4)
      if (isLongForm) expect((last?.heap ?? 0) - (first?.heap ?? 0)).toBeLessThan(16 * 1024 * 1024)
    },
    isLongForm ? 7_200_000 : 90_000,
  )
})
