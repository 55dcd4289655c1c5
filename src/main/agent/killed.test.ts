import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { createCore, type Core } from '../core.ts'
import {
  answer,
  call,
  waitForGate,
  say,
  step,
  type ScriptedChatRequest,
  type Reply,
  type Scenario,
} from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { chosenCases } from '../testing/longForm.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { variedText } from '../testing/variedText.ts'

// A separate process works on a conversation and is killed with SIGKILL; another one opens the result.

const never = new AbortController().signal
const resources = fileURLToPath(new URL('../../../resources', import.meta.url))
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint | undefined
let core: Core | undefined
let child: ChildProcess | undefined

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n' })
  data = await temporaryFolder()
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await core?.dispose()
  await endpoint?.close()
  core = endpoint = child = undefined
  await Promise.all([folder.remove(), data.remove()])
})

const options = () => ({
  platform: { host: 'headless' as const, version: 'test', userData: data.root, resources },
  settings: {
    endpoints: [{ id: 'e', name: 'E', kind: 'openai' as const, baseUrl: endpoint?.url ?? '', hasKey: false }],
    model: { endpointId: 'e', model: 'scripted' },
    mode: 'yolo' as const,
  },
})

/**
 * Runs `body` in a separate process with a core on the folder and the id of its latest conversation, and kills it once
 * an event matches, or after `at` events.
 */
async function killedAt(body: string, kill: RegExp | number | ((line: string) => boolean)): Promise<void> {
  const script = `
    const { createCore } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../core.ts')).href)})
    const core = await createCore(${JSON.stringify(options())})
    core.subscribe((name, payload) => console.log(name + ' ' + JSON.stringify(payload)))
    await core.openWorkspace(${JSON.stringify(folder.root)})
    const never = new AbortController().signal
    const { handlers } = core
    const [latest] = await handlers['conversations.list']({}, never)
    const id = (latest ?? (await handlers['conversations.create']({}, never)).info).id
    ${body}
    setInterval(() => {}, 1000)`
  const process_ = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  child = process_
  let told = 0
  let said = ''
  process_.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const closed = once(process_, 'close')
  for await (const line of createInterface({ input: process_.stdout })) {
    told += 1
    if (typeof kill === 'number' ? told === kill : typeof kill === 'function' ? kill(line) : kill.test(line))
      process_.kill('SIGKILL')
  }
  await closed
  if (process_.signalCode !== 'SIGKILL') throw new Error(`It ended by itself after ${told} events: ${said}`)
}

async function reopen(): Promise<{ made: Core; id: string; items: ConversationItem[] }> {
  const made = await createCore(options())
  core = made
  await made.openWorkspace(folder.root)
  const [latest] = await made.handlers['conversations.list']({}, never)
  const id = latest?.id ?? 'none'
  return { made, id, items: (await made.handlers['conversations.open']({ id }, never)).items }
}

/**
 * Checks that nothing looks running, every call has a result, and a server with strict history rules accepts the next
 * message.
 */
async function expectGoesOn({ made, id, items }: Awaited<ReturnType<typeof reopen>>): Promise<void> {
  for (const item of items) {
    if (item.kind === 'assistant') expect(item.state).not.toBe('streaming')
    if (item.kind === 'tool') expect(['done', 'failed', 'refused', 'cancelled']).toContain(item.state)
  }
  const outcome = new Promise<string>((resolve) => {
    made.subscribe((name, payload) => {
      if (name === 'conversation.turnEnded' && payload && 'outcome' in payload) resolve(payload.outcome)
    })
  })
  await made.handlers['conversations.send']({ id, text: 'next' }, never)
  expect(await outcome).toBe('done')
  expect(endpoint?.mismatches).toEqual([])
}

/** Must be the first turn of a scenario, because a prompt after an unanswered message also matches that one's turn. */
const next = { prompt: /next$/, steps: [step('ends', say('Fine.'))] }
const send = "await handlers['conversations.send']({ id, text: 'go' }, never)"

describe('a process that is killed', () => {
  const busy: Scenario = {
    name: 'busy',
    turns: [
      next,
      {
        prompt: /^go/,
        steps: [
          step('reads', say('I look. '), call('read_file', { path: 'a.txt' }), call('list_dir', { path: '.' })),
          step('writes', call('write_file', { path: 'a.txt', content: 'changed\n' })),
          step('runs', call('run_command', { command: 'echo begun; exec sleep 60' })),
        ],
      },
    ],
  }
  it.each(chosenCases([2, 4, 7, 10, 13, 16, 19], 2))(
    'after %i events leaves a conversation that can continue, and complete files',
    async (events) => {
      endpoint = await startScriptedEndpoint(busy)
      await killedAt(send, events)
      expect(['one\n', 'changed\n']).toContain(await readFile(path.join(folder.root, 'a.txt'), 'utf8'))
      const opened = await reopen()
      // The second event comes before the turn has begun.
      if (events > 2) expect(opened.items.at(-1)).toMatchObject({ kind: 'notice', action: 'continue' })
      await expectGoesOn(opened)
    },
  )

  it('during an answer loses at most the current sentence', async () => {
    const steps = [
      step('says', say('The first sentence. '), say('The second one. '), say('The third is'), waitForGate('never')),
    ]
    endpoint = await startScriptedEndpoint({ name: 'answer', turns: [next, { prompt: /^go/, steps }] })
    await killedAt(send, /^conversation\.delta .*third/)
    const opened = await reopen()
    expect(opened.items.find((item) => item.kind === 'assistant')).toMatchObject({
      state: 'stopped',
      text: expect.stringMatching(/^The first sentence\. The second one\./),
    })
    await expectGoesOn(opened)
  })

  it('is exported as interrupted, without having been opened', async () => {
    endpoint = await startScriptedEndpoint(busy)
    await killedAt(send, /^job\.output .*begun/)
    const made = await createCore(options())
    core = made
    await made.openWorkspace(folder.root)
    const [latest] = await made.handlers['conversations.list']({}, never)
    const { text } = await made.handlers['conversations.export']({ id: latest?.id ?? '', format: 'json' }, never)
    expect(text).toContain('Tizona was closed while this turn ran.')
    expect(text).not.toMatch(/"state": ?"(running|streaming|approval)"/)
  })

  it('during a command marks the call as cancelled', async () => {
    endpoint = await startScriptedEndpoint(busy)
    await killedAt(send, /^job\.output .*begun/)
    const opened = await reopen()
    expect(opened.items.findLast((item) => item.kind === 'tool')).toMatchObject({
      name: 'run_command',
      state: 'cancelled',
    })
    expect(opened.items.at(-1)).toMatchObject({ kind: 'notice', action: 'continue' })
    expect(opened.items.find((item) => item.kind === 'user')).toHaveProperty('checkpoint')
    await expectGoesOn(opened)
  })

  it('during a summary keeps the whole conversation', async () => {
    const respond = ({ tools, messages }: ScriptedChatRequest): Reply => {
      if (tools.length === 0) return answer(waitForGate('never'))
      return answer(say(`Answer ${messages.length}. ${variedText(200)}`))
    }
    endpoint = await startScriptedEndpoint({ name: 'summary', turns: [], contextWindow: 8192, respond })
    const filled = `
      const ended = () => new Promise((resolve) => { const stop = core.subscribe((name) => { if (name === 'conversation.turnEnded') { stop(); resolve() } }) })
      for (const text of ['one', 'two', 'three', 'four']) { const end = ended(); await handlers['conversations.send']({ id, text: text + ' word'.repeat(300) }, never); await end }
      await handlers['conversations.compact']({ id }, never)`
    const { requests } = endpoint
    const asked = () =>
      requests.some(({ body }) => JSON.stringify(body ?? null).includes('You keep the notes of a coding session'))
    await killedAt(`${filled}\nsetInterval(() => console.log('tick'), 20)`, (line) => line === 'tick' && asked())
    const opened = await reopen()
    expect(opened.items.filter((item) => item.kind === 'user')).toHaveLength(4)
    expect(opened.items.some((item) => item.kind === 'summary')).toBe(false)
    await expectGoesOn(opened)
  })
})

describe('a process that is killed while it restores files', () => {
  const count = 120
  const names = Array.from({ length: count }, (_, index) => `f${index}.txt`)
  const states = async () =>
    Promise.all(names.map((name) => readFile(path.join(folder.root, name), 'utf8').catch(() => 'gone')))

  it.each(chosenCases(['f0.txt', 'f40.txt', 'f70.txt'], 1))(
    'while writing %s leaves every file intact, shows a notice, and can be undone or repeated',
    async (last) => {
      const original = 'old '.repeat(3000)
      await folder.remove()
      folder = await temporaryFolder(Object.fromEntries(names.map((name) => [name, original])))
      const command = 'for f in f*.txt; do printf new > $f; done'
      endpoint = await startScriptedEndpoint({
        name: 'restore',
        turns: [
          { prompt: /^go/, steps: [step('changes', call('run_command', { command })), step('ends', say('Done.'))] },
        ],
      })
      const restore = `
      const { watch, readFileSync } = await import('node:fs')
      core.subscribe(async (name) => {
        if (name !== 'conversation.turnEnded') return
        const { items } = await handlers['conversations.open']({ id }, never)
        watch(${JSON.stringify(folder.root)}, (_, file) => { if (file === ${JSON.stringify(last)} && readFileSync(${JSON.stringify(path.join(folder.root, last))}).length > 100) process.kill(process.pid, 'SIGKILL') })
        await handlers['conversations.restore']({ id, itemId: items[0].id, files: true, conversation: true }, never)
      })
      ${send}`
      await killedAt(restore, /never said/)
      for (const state of await states()) expect(['new', original]).toContain(state)
      expect((await readdir(folder.root)).toSorted()).toEqual(names.toSorted())
      const { made, id, items } = await reopen()
      const notice = items.find((item) => item.kind === 'notice' && item.restore)
      expect(notice).toMatchObject({ action: 'undoRestore', text: expect.stringContaining('did not finish') })
      await made.handlers['conversations.undoRestore']({ id, itemId: notice?.id ?? '' }, never)
      expect(new Set(await states())).toEqual(new Set(['new']))
      const message = (await made.handlers['conversations.open']({ id }, never)).items.find(
        (item) => item.kind === 'user',
      )
      await made.handlers['conversations.restore'](
        { id, itemId: message?.id ?? '', files: true, conversation: true },
        never,
      )
      expect(new Set(await states())).toEqual(new Set([original]))
    },
  )
})
