import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { ConversationItem, ToolItem } from '../../shared/agent/conversation.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { createCore, type Core } from '../core.ts'
import { call, say, step, type Scenario, type ScenarioStep } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

// Tools of a conversation and nested calls, through the whole core.

const never = new AbortController().signal
let home: string
let core: Core
let endpoint: ScriptedEndpoint | undefined

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-toolsets-')))
  await mkdir(join(home, 'workspace'))
  await writeFile(join(home, 'workspace', 'a.txt'), 'one\n')
})
afterEach(async () => {
  await core.dispose()
  await endpoint?.close()
  endpoint = undefined
  await rm(home, { recursive: true, force: true })
})

async function start(settings: Partial<Settings> = {}, steps: ScenarioStep[] = []): Promise<void> {
  const scenario: Scenario = { name: 'toolsets test', turns: [{ prompt: /.*/s, steps }] }
  endpoint = await startScriptedEndpoint(scenario)
  core = await createCore({
    // A host with windows, so that approvals can be answered.
    platform: {
      host: 'browser',
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
      fork: inProcessIndex,
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      ...settings,
    },
  })
  await core.openWorkspace(join(home, 'workspace'))
}

const create = async () => (await core.handlers['conversations.create']({}, never)).info
const update = (id: string, change: object) => core.handlers['conversations.update']({ id, ...change }, never)
const items = async (id: string): Promise<ConversationItem[]> =>
  (await core.handlers['conversations.open']({ id }, never)).items
const toolNames = async (toolset: 'blade' | 'rustant') => await core.handlers['tools.list']({ toolset }, never)

/** Resolves when the turn of a conversation has ended. */
function turn(id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = core.subscribe((name, payload) => {
      if (name !== 'conversation.turnEnded' || payload === null || !('outcome' in payload)) return
      stop()
      resolve()
    })
    Promise.resolve(core.handlers['conversations.send']({ id, text: 'go' }, never)).catch(reject)
  })
}

describe('the toolset of a conversation', () => {
  const oss = { endpointId: 'e', model: 'gpt-oss:20b' }
  const glm = { endpointId: 'e', model: 'GLM-4.6' }

  it('is suggested by the name of its model, and follows the model until the first message', async () => {
    await start({ model: oss })
    const { id, toolset } = await create()
    expect(toolset).toBe('rusty')
    expect(await update(id, { model: glm })).toMatchObject({ toolset: 'ultrasushitron' })
    expect(await update(id, { model: { endpointId: 'e', model: 'llama3' } })).toMatchObject({ toolset: 'blade' })
    await turn(id)
    expect(await update(id, { model: oss })).toMatchObject({ toolset: 'blade' })
  })

  it('remains as the user chose it', async () => {
    await start({ model: oss })
    const { id } = await create()
    await update(id, { toolset: 'rusty' })
    expect(await update(id, { model: glm })).toMatchObject({ toolset: 'rusty' })
  })

  it('is that of the settings if suggestions are disabled', async () => {
    await start({ model: oss, suggestToolset: false, toolset: 'rustant' })
    expect((await create()).toolset).toBe('rustant')
  })
})

describe('a disabled tool', () => {
  it('is shown with the reason, and cannot run', async () => {
    await start({ disabledTools: { blade: ['read_file'] }, mode: 'yolo' }, [
      {
        title: 'look',
        play: (seen) => {
          const offered = seen.tools
          expect(offered).not.toContain('read_file')
          expect(offered).toContain('list_dir')
          return {
            parts: [
              call('read_file', { path: 'a.txt' }),
              call('batch', { calls: [{ tool: 'read_file', arguments: { path: 'a.txt' } }] }),
            ],
          }
        },
      },
      step('done', say('ok')),
    ])
    expect((await toolNames('blade')).find(({ name }) => name === 'read_file')).toMatchObject({ off: 'settings' })
    const byHand = await core.handlers['tools.call'](
      { callId: 'c', name: 'read_file', arguments: { path: 'a.txt' }, toolset: 'blade', mode: 'yolo' },
      never,
    )
    expect(byHand.error?.code).toBe('switched_off')
    const { id } = await create()
    await turn(id)
    const [direct, batch] = (await items(id)).filter((item) => item.kind === 'tool')
    expect(direct?.result?.error).toMatchObject({
      code: 'switched_off',
      next: expect.stringContaining('Settings under Tools'),
    })
    expect(batch?.result?.text).toContain('switched_off')
    expect(batch?.result?.text).not.toContain('one')
  })

  it('follows the settings', async () => {
    await start()
    const webOff = {
      enabled: false,
      search: 'duckduckgo' as const,
      searxngUrl: '',
      hasBraveKey: false,
      localOrigins: [],
    }
    await core.handlers['settings.set']({ web: webOff }, never)
    expect((await toolNames('rustant')).filter(({ off }) => off === 'web').map(({ name }) => name)).toEqual([
      'web_search',
      'web_fetch',
    ])
    expect(core.executor.describe('rustant').map(({ name }) => name)).not.toContain('web_fetch')
    await core.handlers['settings.set']({ web: { ...webOff, enabled: true } }, never)
    expect(core.executor.describe('rustant').map(({ name }) => name)).toContain('web_fetch')
  })
})

describe('nested calls that require approval', () => {
  it('are requested one by one, and the batch shows that it waits until the last decision', async () => {
    await writeFile(join(home, 'workspace', 'b.txt'), 'two\n')
    await start({ mode: 'paranoid' }, [
      step(
        'batch',
        call('batch', { calls: ['a.txt', 'b.txt'].map((path) => ({ tool: 'read_file', arguments: { path } })) }),
      ),
      step('done', say('ok')),
    ])
    const { id } = await create()
    const asked: ApprovalRequest[] = []
    const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const states: { state: string; waitsFor?: string }[] = []
    core.subscribe((name, payload) => {
      if (payload === null) return
      if (name === 'approval.requested' && 'requestedAt' in payload) {
        asked.push(payload)
        arrived[asked.length - 1]?.resolve()
      }
      if (name === 'conversation.item' && 'item' in payload && payload.item.kind === 'tool') {
        states.push({ state: payload.item.state, waitsFor: payload.item.approval?.tool })
      }
    })
    const ended = turn(id)
    const decide = (
      request: ApprovalRequest | undefined,
      decision: { kind: 'once' } | { kind: 'refuse'; reason: string },
    ) => core.handlers['approvals.decide']({ requestId: String(request?.id), decision }, never)

    await arrived[0]?.promise
    expect(asked[0]).toMatchObject({ tool: 'batch', within: undefined })
    await decide(asked[0], { kind: 'once' })
    await Promise.all([arrived[1]?.promise, arrived[2]?.promise])
    const card = async (): Promise<ToolItem | undefined> => (await items(id)).find((item) => item.kind === 'tool')
    const outer = await card()
    for (const request of asked.slice(1)) {
      expect(request).toMatchObject({ tool: 'read_file', within: 'Several calls at once', conversationId: id })
      expect(request.callId.startsWith(`${outer?.id}/`)).toBe(true)
    }
    expect(outer).toMatchObject({ state: 'approval', approval: { tool: 'read_file' } })
    const [, first, second] = asked
    await decide(first, { kind: 'once' })
    expect(await card()).toMatchObject({ state: 'approval', approval: { id: second?.id } })
    await decide(second, { kind: 'refuse', reason: 'Refused by the test.' })
    await ended

    expect(states.slice(-2)).toEqual([
      { state: 'running', waitsFor: undefined },
      { state: 'done', waitsFor: undefined },
    ])
    const text = (await card())?.result?.text
    const path = (request: ApprovalRequest | undefined) => String(request?.arguments['path'])
    expect(text).toContain(path(first) === 'a.txt' ? 'one' : 'two')
    expect(text).not.toContain(path(second) === 'a.txt' ? 'one' : 'two')
    expect(text).toContain('Refused by the test.')
  })
})

it('a message that cannot be stored is refused and is not in the conversation', async () => {
  await start({}, [step('talk', say('Here.'))])
  const { id } = await create()
  const db = new DatabaseSync(join(home, 'user', 'tizona.db'))
  db.exec("CREATE TRIGGER refuse BEFORE INSERT ON items BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END")
  await expect(
    Promise.resolve().then(() => core.handlers['conversations.send']({ id, text: 'lost?' }, never)),
  ).rejects.toThrow('the disk is gone')
  expect(await items(id)).toEqual([])
  db.exec('DROP TRIGGER refuse')
  db.close()
  await turn(id)
  expect((await items(id)).map((item) => item.kind)).toEqual(['user', 'assistant'])
})
