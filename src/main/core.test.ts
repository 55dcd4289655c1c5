import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConversationItem, ToolItem, TurnOutcome } from '../shared/agent/conversation.ts'
import type { EventName, Events } from '../shared/bridge/protocol.ts'
import type { Settings } from '../shared/settings/settings.ts'
import { placeholderRecords } from './command/sandbox/placeholderRecord.ts'
import { createCore, type Core } from './core.ts'
import type { Platform } from './appServices/platform.ts'
import { inProcessIndex } from './testing/inProcessIndex.ts'
import {
  answer,
  call,
  waitForGate,
  say,
  step,
  think,
  type Scenario,
  type ScenarioStep,
} from './model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from './model/scripted/scriptedEndpoint.ts'

const never = new AbortController().signal
let home: string
let core: Core | undefined
let endpoint: ScriptedEndpoint | undefined
let events: { name: EventName; payload: unknown }[] = []

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-core-')))
  await mkdir(join(home, 'workspace'))
  await writeFile(join(home, 'workspace', 'a.txt'), 'one\ntwo\nthree\n')
  events = []
})
afterEach(async () => {
  await core?.dispose()
  core = undefined
  await endpoint?.close()
  endpoint = undefined
  await rm(home, { recursive: true, force: true })
})

/** A core on a real folder that talks to a scripted endpoint over real HTTP. */
async function start(
  steps: ScenarioStep[] | undefined,
  settings: Partial<Settings> = {},
  host: Platform['host'] = 'headless',
): Promise<Core> {
  if (steps) {
    const scenario: Scenario = { name: 'core test', turns: [{ prompt: /.*/s, steps }] }
    endpoint = await startScriptedEndpoint(scenario)
  }
  const made = await createCore({
    platform: {
      host,
      fork: inProcessIndex,
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', 'resources'),
    },
    settings: {
      ...(endpoint
        ? {
            endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
            model: { endpointId: 'e', model: 'scripted' },
          }
        : {}),
      mode: 'yolo',
      ...settings,
    },
    trustWorkspace: true,
  })
  core = made
  made.subscribe((name, payload) => events.push({ name, payload }))
  await made.openWorkspace(join(home, 'workspace'))
  return made
}

/** Resolves with the next event of this name. */
function next<N extends EventName>(
  from: Core,
  name: N,
  fits: (payload: Events[N]) => boolean = () => true,
): Promise<Events[N]> {
  return new Promise((resolve) => {
    const stop = from.subscribe((seen, payload) => {
      // `seen === name` determines the type of the payload, but the compiler does not narrow a type parameter.
      if (seen === (name as EventName) && fits(payload as Events[N])) {
        stop()
        resolve(payload as Events[N])
      }
    })
  })
}

async function turn(from: Core, id: string, text = 'go'): Promise<TurnOutcome> {
  const ended = next(from, 'conversation.turnEnded', ({ conversationId }) => conversationId === id)
  await from.handlers['conversations.send']({ id, text }, never)
  return (await ended).outcome
}

const items = async (from: Core, id: string): Promise<ConversationItem[]> =>
  (await from.handlers['conversations.open']({ id }, never)).items
const tools = (all: readonly ConversationItem[]): ToolItem[] => all.filter((item) => item.kind === 'tool')

describe('a turn', () => {
  it('runs the calls of an answer in order, sends each result to the model, and ends with the first answer without a call', async () => {
    const made = await start([
      step('look', think('hm'), call('read_file', { path: 'a.txt' }), call('no_such_tool', {})),
      {
        title: 'edit',
        play: (seen) => {
          seen.expect('read_file', /two/, 'the file')
          seen.expect('no_such_tool', /unknown_tool/, 'an error in words')
          return answer(call('apply_patch', { path: 'a.txt', old_text: 'two', new_text: '2' }))
        },
      },
      step('done', say('Changed it.')),
    ])
    const { info } = await made.handlers['conversations.create']({}, never)
    expect(await turn(made, info.id)).toBe('done')
    expect(await readFile(join(home, 'workspace', 'a.txt'), 'utf8')).toBe('one\n2\nthree\n')
    const all = await items(made, info.id)
    expect(tools(all).map(({ name, state }) => [name, state])).toEqual([
      ['read_file', 'done'],
      ['no_such_tool', 'failed'],
      ['apply_patch', 'done'],
    ])
    expect(all.at(-1)).toMatchObject({
      kind: 'assistant',
      text: 'Changed it.',
      state: 'done',
      usage: { promptTokens: expect.any(Number) },
    })
    expect(all.find((item) => item.kind === 'assistant')).toMatchObject({ reasoning: 'hm' })
  })

  it('undoes an edit by its id, and refuses if the file has changed since', async () => {
    const made = await start([
      step('edit', call('write_file', { path: 'a.txt', content: 'new\n' })),
      step('done', say('ok')),
    ])
    const { info } = await made.handlers['conversations.create']({}, never)
    await turn(made, info.id)
    const view = tools(await items(made, info.id))[0]?.result?.view
    const editId = view?.kind === 'diff' ? view.editId : undefined
    expect(await made.handlers['edits.undo']({ editId: String(editId) }, never)).toEqual({ paths: ['a.txt'] })
    expect(await readFile(join(home, 'workspace', 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    await expect(Promise.resolve(made.handlers['edits.undo']({ editId: String(editId) }, never))).rejects.toMatchObject(
      { code: 'conflict' },
    )
  })

  it('restores a deleted file with its permissions', async () => {
    const made = await start([step('delete', call('delete_file', { path: 'run.sh' })), step('done', say('ok'))])
    const script = join(home, 'workspace', 'run.sh')
    await writeFile(script, '#!/bin/sh\n')
    await chmod(script, 0o750)
    const { info } = await made.handlers['conversations.create']({}, never)
    await turn(made, info.id)
    const view = tools(await items(made, info.id))[0]?.result?.view
    await made.handlers['edits.undo']({ editId: String(view?.kind === 'diff' ? view.editId : undefined) }, never)
    expect(await readFile(script, 'utf8')).toBe('#!/bin/sh\n')
    expect((await stat(script)).mode & 0o777).toBe(0o750)
  })

  it('stops at the request limit, and continues on request', async () => {
    const again = step('again', call('read_file', { path: 'a.txt' }))
    const made = await start([again, again, step('done', say('ok'))], { maxTurns: 2 })
    const { info } = await made.handlers['conversations.create']({}, never)
    expect(await turn(made, info.id)).toBe('turn_limit')
    expect((await items(made, info.id)).at(-1)).toMatchObject({ kind: 'notice', action: 'continue' })
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.continue']({ id: info.id }, never)
    expect((await ended).outcome).toBe('done')
  })

  it('refuses a call that requires approval if no window can answer, sends the reason to the model, and ends with approval_needed', async () => {
    const made = await start(
      [
        step('write', call('write_file', { path: 'b.txt', content: 'x' })),
        {
          title: 'done',
          play: (seen) => {
            seen.expect('write_file', /approval_required/, 'the reason')
            return answer(say('I may not.'))
          },
        },
      ],
      { mode: 'safe' },
    )
    const { info } = await made.handlers['conversations.create']({}, never)
    expect(await turn(made, info.id)).toBe('approval_needed')
    await expect(readFile(join(home, 'workspace', 'b.txt'))).rejects.toThrow()
  })

  it('sends no reasoning back as an answer whose opening tag was in the prompt', async () => {
    const made = await start([
      step('think', say('I should look.'), waitForGate('shown'), say('\n</th'), say('ink>\n\nHello.')),
      step('again', say('Done.')),
    ])
    const { info } = await made.handlers['conversations.create']({}, never)
    const delta = next(made, 'conversation.delta')
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    expect((await delta).text).toBe('I')
    endpoint?.release('shown')
    await ended
    expect((await items(made, info.id)).at(-1)).toMatchObject({
      text: '\n\nHello.',
      reasoning: 'I should look.\n',
    })
    await turn(made, info.id)
    const request = endpoint?.requests.findLast(({ path }) => path.endsWith('/chat/completions'))
    expect(JSON.stringify(request?.body)).toContain('Hello.')
    expect(JSON.stringify(request?.body)).not.toContain('I should look.')
  })

  it('keeps the partial answer when it is stopped, and closes the connection to the server', async () => {
    const made = await start([step('talk', say('Half a sen'), waitForGate('never'))])
    const { info } = await made.handlers['conversations.create']({}, never)
    const delta = next(made, 'conversation.delta')
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    await delta
    await made.handlers['conversations.stop']({ id: info.id }, never)
    expect((await ended).outcome).toBe('cancelled')
    expect((await items(made, info.id)).at(-1)).toMatchObject({
      kind: 'assistant',
      text: 'Half a sen',
      state: 'stopped',
    })
    const request = endpoint?.requests.findLast(({ path }) => path.endsWith('/chat/completions'))
    expect(await request?.ended).toBe('broken')
  })

  it('queues messages sent while it runs and sends them afterwards; a queued message can be removed', async () => {
    const made = await start([step('talk', say('ok'), waitForGate('first'))])
    const { info } = await made.handlers['conversations.create']({}, never)
    const delta = next(made, 'conversation.delta')
    await made.handlers['conversations.send']({ id: info.id, text: 'one' }, never)
    await delta
    expect(await made.handlers['conversations.send']({ id: info.id, text: 'two' }, never)).toEqual({ queued: true })
    await made.handlers['conversations.send']({ id: info.id, text: 'never' }, never)
    const { queue } = await made.handlers['conversations.open']({ id: info.id }, never)
    await made.handlers['conversations.unqueue']({ id: info.id, messageId: String(queue[1]?.id) }, never)
    const first = next(made, 'conversation.turnEnded')
    endpoint?.release('first')
    await first
    await next(made, 'conversation.turnEnded')
    expect((await items(made, info.id)).filter((item) => item.kind === 'user').map((item) => item.text)).toEqual([
      'one',
      'two',
    ])
  })

  it('keeps queued messages in the queue when it is stopped, and does not add them to the next message', async () => {
    const made = await start([step('talk', say('ok'), waitForGate('stopped'))])
    const { info } = await made.handlers['conversations.create']({}, never)
    const delta = next(made, 'conversation.delta')
    await made.handlers['conversations.send']({ id: info.id, text: 'one' }, never)
    await delta
    await made.handlers['conversations.send']({ id: info.id, text: 'waits' }, never)
    await made.handlers['conversations.stop']({ id: info.id }, never)
    const again = next(made, 'conversation.delta')
    await made.handlers['conversations.send']({ id: info.id, text: 'two' }, never)
    await again
    const shown = await made.handlers['conversations.open']({ id: info.id }, never)
    expect(shown.queue.map(({ text }) => text)).toEqual(['waits'])
    expect(shown.items.flatMap((item) => (item.kind === 'user' ? [item.text] : []))).toEqual(['one', 'two'])
    await made.handlers['conversations.stop']({ id: info.id }, never)
  })

  it('reports an endpoint error with a retry action, and the retry works', async () => {
    let attempts = 0
    const made = await start([
      {
        title: 'fail once',
        play: () =>
          attempts++ === 0 ? { status: 500, body: '{"error":{"message":"boom"}}' } : answer(say('Here again.')),
      },
    ])
    const { info } = await made.handlers['conversations.create']({}, never)
    expect(await turn(made, info.id)).toBe('endpoint_failed')
    const notice = (await items(made, info.id)).at(-1)
    expect(notice).toMatchObject({ kind: 'notice', level: 'error', action: 'retry' })
    expect(notice?.kind === 'notice' && notice.text).toContain('boom')
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.retry']({ id: info.id }, never)
    expect((await ended).outcome).toBe('done')
    expect((await items(made, info.id)).map((item) => item.kind)).toEqual(['user', 'assistant'])
  })

  it('resends an edited earlier message and removes the items after it', async () => {
    const made = await start([step('talk', say('ok'))])
    const { info } = await made.handlers['conversations.create']({}, never)
    await turn(made, info.id, 'first')
    await turn(made, info.id, 'second')
    const first = (await items(made, info.id))[0]
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.resend']({ id: info.id, itemId: String(first?.id), text: 'changed' }, never)
    await ended
    const texts = async (id: string | undefined) =>
      (await items(made, id ?? '')).map((item) => 'text' in item && item.text)
    expect(await texts(info.id)).toEqual([expect.stringContaining('"first (before editing)"'), 'changed', 'ok'])
    const listed = await made.handlers['conversations.list']({}, never)
    expect(listed.map(({ title }) => title)).toEqual(['first', 'first (before editing)'])
    expect(await texts(listed[1]?.id)).toEqual(['first', 'ok', 'second', 'ok'])
  })
})

describe('a store that fails in the middle of a turn', () => {
  /**
   * Makes the store reject all items except user messages.
   * @returns a function that repairs it
   */
  function breakStore(): () => void {
    const db = new DatabaseSync(join(home, 'user', 'tizona.db'))
    const refuse = (when: string) =>
      db.exec(
        `CREATE TRIGGER refuse_${when} BEFORE ${when} ON items WHEN json_extract(new.json, '$.kind') <> 'user' BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`,
      )
    refuse('insert')
    refuse('update')
    return () => {
      db.exec('DROP TRIGGER refuse_insert; DROP TRIGGER refuse_update')
      db.close()
    }
  }
  const seen = (name: EventName) => events.filter((event) => event.name === name).map(({ payload }) => payload)

  it('ends the turn as failed and shows an error in the window; the next message works', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const made = await start([step('talk', say('Here again.'))])
    const { info } = await made.handlers['conversations.create']({}, never)
    const mend = breakStore()
    expect(await turn(made, info.id)).toBe('failed')
    expect(seen('notice')).toMatchObject([{ level: 'error', message: expect.stringContaining('the disk is gone') }])
    expect(seen('conversation.status').at(-1)).toMatchObject({ running: false })
    expect((await items(made, info.id)).at(-1)).toMatchObject({ kind: 'notice', level: 'error', action: 'retry' })
    mend()
    expect(await turn(made, info.id, 'again')).toBe('done')
    expect((await items(made, info.id)).at(-1)).toMatchObject({ kind: 'assistant', text: 'Here again.', state: 'done' })
    logged.mockRestore()
  })

  it('does not end the process through the timer that stores a streaming answer', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const made = await start([step('talk', say('Half a sen'), waitForGate('rest'))])
    const { info } = await made.handlers['conversations.create']({}, never)
    const delta = next(made, 'conversation.delta')
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    await delta
    const mend = breakStore()
    await vi.waitFor(() => expect(logged).toHaveBeenCalledWith(expect.stringContaining('could not be stored')), 5000)
    endpoint?.release('rest')
    expect((await ended).outcome).toBe('failed')
    mend()
    logged.mockRestore()
  })
})

describe('the tool console', () => {
  const write = {
    callId: 'c1',
    name: 'write_file',
    arguments: { path: 'b.txt', content: 'x' },
    toolset: 'blade',
    mode: 'safe',
  } as const

  it('keeps a call and its approval request through a reload; the next window can answer and is notified of the result', async () => {
    const made = await start(undefined, {}, 'browser')
    const window = new AbortController()
    const asked = next(made, 'approval.requested')
    const result = made.handlers['tools.call'](write, window.signal)
    const { id } = await asked
    window.abort()
    expect((await made.handlers['app.state']({}, never)).approvals).toMatchObject([{ id, callId: 'c1' }])
    await made.handlers['approvals.decide']({ requestId: id, decision: { kind: 'once' } }, never)
    expect(await result).toMatchObject({ ok: true })
    expect(await readFile(join(home, 'workspace', 'b.txt'), 'utf8')).toBe('x')
    const said: unknown[] = []
    made.attach({
      emit: (name, payload) => void said.push([name, payload]),
      ask: () => Promise.reject(new Error('not asked')),
    })()
    expect(said).toEqual([
      [
        'notice',
        { level: 'info', message: expect.stringContaining('write_file'), detail: expect.stringContaining('b.txt') },
      ],
    ])
  })

  it('ends a call when it is cancelled, and when another folder is opened', async () => {
    const made = await start(undefined, {}, 'browser')
    await mkdir(join(home, 'other'))
    for (const end of [
      () => made.handlers['tools.cancel']({ callId: 'c1' }, never),
      () => made.openWorkspace(join(home, 'other')),
    ]) {
      const asked = next(made, 'approval.requested')
      const result = made.handlers['tools.call'](write, never)
      await asked
      await end()
      expect(await result).toMatchObject({ ok: false, error: { code: 'cancelled' } })
      expect((await made.handlers['app.state']({}, never)).approvals).toEqual([])
    }
  })
})

describe('approval', () => {
  it('shows the call as waiting, is answered by id, and runs the edited command', async () => {
    const made = await start(
      [
        step('run', call('run_command', { command: 'touch asked' })),
        {
          title: 'done',
          play: (seen) => {
            seen.expect('run_command', /echo edited/, 'the command that really ran')
            return answer(say('ok'))
          },
        },
      ],
      { mode: 'safe' },
      'browser',
    )
    const { info } = await made.handlers['conversations.create']({}, never)
    const asked = next(made, 'approval.requested')
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    const request = await asked
    expect(request).toMatchObject({
      tool: 'run_command',
      risk: 'execute',
      command: 'touch asked',
      conversationId: info.id,
    })
    expect(tools(await items(made, info.id))[0]).toMatchObject({
      id: request.callId,
      state: 'approval',
      approval: { id: request.id },
    })
    await made.handlers['approvals.decide'](
      { requestId: request.id, decision: { kind: 'once', editedCommand: 'echo edited' } },
      never,
    )
    expect((await ended).outcome).toBe('done')
    expect(tools(await items(made, info.id))[0]?.result?.arguments).toMatchObject({ command: 'echo edited' })
    await expect(
      (async () => made.handlers['approvals.decide']({ requestId: request.id, decision: { kind: 'once' } }, never))(),
    ).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is withdrawn when the turn is stopped', async () => {
    const made = await start([step('run', call('run_command', { command: 'touch x' }))], { mode: 'safe' }, 'browser')
    const { info } = await made.handlers['conversations.create']({}, never)
    const asked = next(made, 'approval.requested')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    await asked
    await made.handlers['conversations.stop']({ id: info.id }, never)
    expect((await made.handlers['app.state']({}, never)).approvals).toEqual([])
    expect(tools(await items(made, info.id))[0]?.state).toBe('cancelled')
  })

  it("sends the user's reason for refusing to the model", async () => {
    const made = await start(
      [
        step('run', call('run_command', { command: 'touch x' })),
        {
          title: 'done',
          play: (seen) => {
            seen.expect('run_command', /use make instead/, 'the reason')
            return answer(say('ok'))
          },
        },
      ],
      { mode: 'safe' },
      'browser',
    )
    const { info } = await made.handlers['conversations.create']({}, never)
    const asked = next(made, 'approval.requested')
    const ended = next(made, 'conversation.turnEnded')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    await made.handlers['approvals.decide'](
      { requestId: (await asked).id, decision: { kind: 'refuse', reason: 'use make instead' } },
      never,
    )
    expect((await ended).outcome).toBe('done')
    expect(endpoint?.mismatches).toEqual([])
  })

  it('is not requested for an edit that cannot succeed', async () => {
    const made = await start(
      [
        step('edit', call('apply_patch', { path: 'a.txt', old_text: 'not there', new_text: 'x' })),
        step('done', say('ok')),
      ],
      { mode: 'safe' },
      'browser',
    )
    const { info } = await made.handlers['conversations.create']({}, never)
    expect(await turn(made, info.id)).toBe('done')
    expect(tools(await items(made, info.id))[0]?.result?.error?.code).toBe('no_match')
    expect(events.some(({ name }) => name === 'approval.requested')).toBe(false)
  })
})

describe('a process that was killed', () => {
  it('leaves a conversation with a notice that offers to continue', async () => {
    const made = await start(
      [step('run', call('run_command', { command: 'touch x' })), step('done', say('ok'))],
      { mode: 'safe' },
      'browser',
    )
    const { info } = await made.handlers['conversations.create']({}, never)
    const asked = next(made, 'approval.requested')
    await made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)
    await asked
    // A second core on the same data is in the same state as after a kill.
    const after = await createCore({
      platform: { host: 'headless', version: 'test', userData: join(home, 'user'), resources: '' },
    })
    await after.openWorkspace(join(home, 'workspace'))
    const { items: left, running } = await after.handlers['conversations.open']({ id: info.id }, never)
    expect(running).toBe(false)
    expect(
      left.map((item) => [item.kind, 'state' in item ? item.state : item.kind === 'notice' && item.action]),
    ).toEqual([
      ['user', false],
      ['assistant', 'done'],
      ['tool', 'cancelled'],
      ['notice', 'continue'],
    ])
    await after.dispose()
  })
})

describe('a conversation in use by another process', () => {
  it('can be read, shows a notice, and a message sent to it is answered there after the running turn', async () => {
    const made = await start(
      [step('talk', say('Half a sen'), waitForGate('rest')), step('queued', say('sure')), step('more', say('ok'))],
      {},
      'browser',
    )
    const other = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'headless.ts'),
        'run',
        'go',
        '--workspace',
        join(home, 'workspace'),
        '--endpoint',
        String(endpoint?.url),
        '--kind',
        'openai',
        '--model',
        'scripted',
      ],
      { env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const closed = once(other, 'close')
    let printed = ''
    const streaming = new Promise<void>((resolve) => {
      other.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        if (printed.includes('conversation.delta')) resolve()
      })
    })
    try {
      await Promise.race([streaming, closed])
      // A window that connects now starts without the locked conversation.
      expect((await made.handlers['app.state']({}, never)).conversation).toBeNull()
      const [info] = await made.handlers['conversations.list']({}, never)
      const id = String(info?.id)
      const open = () => made.handlers['conversations.open']({ id }, never)
      // An answer that streams is stored a little later than it is shown.
      await expect.poll(async () => (await open()).items).toHaveLength(3)
      const { items: shown, running } = await open()
      expect(running).toBe(true)
      expect(shown.map((item) => [item.kind, 'state' in item && item.state])).toEqual([
        ['user', false],
        ['assistant', 'streaming'],
        ['notice', false],
      ])
      expect(shown.at(-1)).toMatchObject({ text: expect.stringContaining(`process (${other.pid})`) })
      expect(await made.handlers['conversations.send']({ id, text: 'me too' }, never)).toEqual({ queued: true })
      expect((await open()).queue).toMatchObject([{ text: 'me too' }])
      endpoint?.release('rest')
      await closed
      expect(other.exitCode).toBe(0)
      expect((await items(made, id)).map((item) => [item.kind, 'state' in item && item.state])).toEqual([
        ['user', false],
        ['assistant', 'done'],
        ['user', false],
        ['assistant', 'done'],
      ])
      await made.handlers['conversations.update']({ id, model: { endpointId: 'e', model: 'scripted' } }, never)
      expect(await turn(made, id, 'more')).toBe('done')
    } finally {
      other.kill()
      await closed
    }
  })
})

it('removes the empty folders that a killed process left in any workspace, before anything reads them', async () => {
  const left = join(home, 'other', '.vscode')
  await mkdir(left, { recursive: true })
  const records = placeholderRecords(join(home, 'user'))
  await mkdir(records, { recursive: true })
  const record = { owner: { pid: 999_999, start: '1' }, folders: [left] }
  await writeFile(join(records, '999999-a.json'), JSON.stringify(record))
  await start(undefined)
  expect([await readdir(join(home, 'other')), await readdir(records)]).toEqual([[], []])
})

it.each(['browser', 'electron'] as const)(
  'the window of the %s host shows a notice if it runs as root',
  async (host) => {
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    vi.stubEnv('TIZONA_ALLOW_ROOT', '')
    try {
      const made = await start(undefined, {}, host)
      const said: unknown[] = []
      made.attach({
        emit: (name, payload) => void said.push([name, payload]),
        ask: () => Promise.reject(new Error('not asked')),
      })()
      expect(said).toEqual([
        ['notice', { level: 'warning', message: expect.stringMatching(/^Tizona is running as root\./) }],
      ])
    } finally {
      vi.restoreAllMocks()
      vi.unstubAllEnvs()
    }
  },
)

describe('folders', () => {
  it('open with a notice if the list of recent folders cannot be written', async () => {
    const made = await start(undefined, {}, 'browser')
    await mkdir(join(home, 'other'))
    const list = join(home, 'user', 'recents.json')
    await rm(list)
    await mkdir(list)
    await made.openWorkspace(join(home, 'other'))
    expect((await made.handlers['app.state']({}, never)).workspace?.name).toBe('other')
    expect(events.at(-1)).toMatchObject({ name: 'workspace.changed', payload: { name: 'other' } })
    const said: unknown[] = []
    made.attach({
      emit: (name, payload) => void said.push([name, payload]),
      ask: () => Promise.reject(new Error('not asked')),
    })()
    expect(said).toEqual([
      [
        'notice',
        {
          level: 'warning',
          message: expect.stringMatching(
            /recent folders could not be saved\. Could not read \S+recents\.json\. The system reports E/,
          ),
        },
      ],
    ])
  })

  it('of a headless run are not listed as recent', async () => {
    await start(undefined)
    await expect(readFile(join(home, 'user', 'recents.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('stay open if another folder cannot be opened', async () => {
    const made = await start(undefined)
    await expect(made.openWorkspace(join(home, 'nowhere'))).rejects.toMatchObject({ code: 'not_found' })
    expect((await made.handlers['app.state']({}, never)).workspace?.name).toBe('workspace')
  })

  it('return a clear error for calls without an open folder', async () => {
    const made = await start(undefined)
    await made.handlers['workspace.close']({}, never)
    const result = await made.executor.call({
      callId: 'x',
      name: 'read_file',
      arguments: { path: 'a.txt' },
      toolset: 'blade',
      mode: 'yolo',
      attended: false,
      signal: never,
    })
    expect(result.error?.code).toBe('no_workspace')
    await expect((async () => made.handlers['conversations.create']({}, never))()).rejects.toMatchObject({
      code: 'no_workspace',
    })
  })
})

describe('the tour', () => {
  it('plays to its end on a temporary copy if each request is approved', async () => {
    const made = await start(undefined, {}, 'browser')
    made.subscribe((name, payload) => {
      if (name !== 'approval.requested') return
      // `name` decides the payload's type; the compiler does not narrow one parameter by the other.
      const { id } = payload as Events['approval.requested']
      void made.handlers['approvals.decide']({ requestId: id, decision: { kind: 'once' } }, never)
    })
    const { workspace, conversation, prompt } = await made.handlers['tour.start']({}, never)
    expect(workspace.tour).toBe(true)
    expect(await turn(made, conversation.info.id, prompt)).toBe('done')
    const all = await items(made, conversation.info.id)
    expect(tools(all).some(({ name, state }) => name === 'run_command' && state === 'done')).toBe(true)
    expect(all.filter((item) => item.kind === 'notice')).toEqual([])
  })
})
