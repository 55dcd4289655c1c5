import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { ToolItem, TurnOutcome } from '../../shared/agent/conversation.ts'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, say, type Reply, type ScriptedChatRequest } from '../model/scripted/scenario.ts'
import { startOneSlotServer, type OneSlotServer, type OneSlotServerOptions } from '../model/testing/oneSlotServer.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'

// The tool `task` inside a conversation, over real HTTP and with the real executor.

const never = new AbortController().signal
const servers: OneSlotServer[] = []
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
let core: Core | undefined
afterEach(async () => {
  await core?.dispose()
  for (const server of servers.splice(0)) await server.close()
  await folder?.remove()
})

const isTask = ({ messages }: Pick<ScriptedChatRequest, 'messages'>) =>
  messages[0]?.content.startsWith('You do one part of a larger task') === true
const resultsOf = ({ messages }: ScriptedChatRequest) =>
  messages.flatMap((each) => (each.role === 'tool' ? [each.content] : []))

interface Options {
  args?: Record<string, unknown>
  settings?: Partial<Settings>
  server?: Partial<OneSlotServerOptions>
  /** Further endpoints. */
  others?: Settings['endpoints']
  /** Called when the call runs. */
  onRunning?(core: Core, conversation: string, item: string): void
}

/** The answers of the sub-agent, one for each of its requests. */
type SubAgent = (step: number, request: ScriptedChatRequest) => Reply

async function serve(subAgent: SubAgent): Promise<OneSlotServer> {
  let step = 0
  const server = await startOneSlotServer({ window: 32_768, respond: (request) => subAgent(step++, request) })
  servers.push(server)
  return server
}

/** Runs a turn in which the model delegates a task. */
async function delegate(
  subAgent: SubAgent,
  { args = {}, settings = {}, server: own = {}, others = [], onRunning }: Options = {},
) {
  folder = await temporaryFolder({
    'workspace/a.ts': 'export const limit = 10\n',
    'workspace/long.txt': 'a line of text\n'.repeat(500),
    'user/': '',
  })
  const workspace = `${folder.root}/workspace`
  let step = 0
  const server = await startOneSlotServer({
    ...own,
    window: 32_768,
    respond(request) {
      if (isTask(request)) return subAgent(step++, request)
      return resultsOf(request).length === 0
        ? answer(call('task', { prompt: 'Look after the limit.', ...args }))
        : answer(say(`The task is over: ${resultsOf(request).join('\n')}`))
    },
  })
  servers.push(server)
  core = await createCore({
    platform: headlessPlatform(`${folder.root}/user`),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }, ...others],
      model: { endpointId: 'e', model: 'one-slot' },
      mode: 'yolo',
      toolset: 'blade',
      ...settings,
    },
  })
  const made = core
  await made.openWorkspace(workspace)
  const { info } = await made.handlers['conversations.create']({}, never)
  let hasStarted = false
  const outcome = await new Promise<TurnOutcome>((resolve, reject) => {
    made.subscribe(<N extends EventName>(name: N, payload: Events[N]) => {
      // `name` determines the type of the payload, but the compiler does not narrow a type parameter.
      if (name === 'conversation.turnEnded') resolve((payload as Events['conversation.turnEnded']).outcome)
      if (name !== 'tool.progress' || hasStarted) return
      hasStarted = true
      onRunning?.(made, info.id, (payload as Events['tool.progress']).callId)
    })
    Promise.resolve(made.handlers['conversations.send']({ id: info.id, text: 'go' }, never)).catch(reject)
  })
  const { items } = await made.handlers['conversations.open']({ id: info.id }, never)
  const item = items.find((each): each is ToolItem => each.kind === 'tool')
  if (!item) throw new Error('There is no call in the conversation.')
  const cost = items.findLast((each) => each.kind === 'assistant')?.cost
  return { item, outcome, server, cost, limit: () => readFile(`${workspace}/a.ts`, 'utf8') }
}

test('a sub-agent reads with the tools that only read, and its report and steps are the result', async () => {
  let offered: readonly string[] = []
  const { item } = await delegate((step, { tools }) => {
    offered = tools
    return step === 0 ? answer(call('read_file', { path: 'a.ts' })) : answer(say('The limit is 10 (a.ts:1).'))
  })
  expect(item.result).toMatchObject({ ok: true, text: 'The limit is 10 (a.ts:1).' })
  expect(item.result?.view).toMatchObject({ kind: 'calls', calls: [{ tool: 'read_file', ok: true }] })
  expect(offered).toContain('grep_search')
  for (const missing of ['edit_file', 'run_command', 'task', 'todo_write', 'batch'])
    expect(offered).not.toContain(missing)
})

const editLimit = () =>
  answer(call('edit_file', { path: 'a.ts', old_content: 'limit = 10', new_content: 'limit = 20' }))

test('it changes nothing unless the call allows that', async () => {
  const { item, limit } = await delegate((step) => (step === 0 ? editLimit() : answer(say('I could not.'))))
  expect(item.result?.text).toBe('I could not.')
  expect(await limit()).toContain('limit = 10')
})

test('it edits files if the call allows that', async () => {
  const args = { allow_changes: true }
  const { item, limit } = await delegate((step) => (step === 0 ? editLimit() : answer(say('It is 20 now.'))), { args })
  expect(item.result).toMatchObject({ ok: true, text: 'It is 20 now.' })
  expect(await limit()).toContain('limit = 20')
})

test('it can run the same command and search again after its change, which show another result', async () => {
  const test = () => answer(call('run_command', { command: 'cat a.ts' }))
  const search = () => answer(call('grep_search', { pattern: 'limit = ' }))
  const steps = [test, search, editLimit, test, search]
  const { item } = await delegate((step) => steps[step]?.() ?? answer(say('Repaired.')), {
    args: { allow_changes: true },
  })
  const calls = item.result?.view.kind === 'calls' ? item.result.view.calls : []
  expect(calls.map(({ tool, text }) => [tool, /limit = \d+/.exec(text)?.[0]])).toEqual([
    ['run_command', 'limit = 10'],
    ['grep_search', 'limit = 10'],
    ['edit_file', expect.anything()],
    ['run_command', 'limit = 20'],
    ['grep_search', 'limit = 20'],
  ])
})

test('without a user who approves, a task that may change something does not start in safe mode', async () => {
  const options = { args: { allow_changes: true }, settings: { mode: 'safe' as const } }
  const { item, limit, server } = await delegate(editLimit, options)
  expect(item.result?.error?.code).toBe('approval_required')
  expect(server.prompts.some(({ prompt }) => prompt.includes('You do one part'))).toBe(false)
  expect(await limit()).toContain('limit = 10')
})

describe('the tokens that it may use', () => {
  const args = { max_tokens: 1000 }
  const readLong = () => answer(call('read_file', { path: 'long.txt' }))

  test('do not include instructions and tools, so that small numbers allow calls', async () => {
    const calls = [() => answer(call('list_dir', { path: '.' })), readLong]
    const { item, server } = await delegate((step) => calls[step]?.() ?? answer(say('Only this.')), { args })
    expect(server.prompts[1]?.prompt.length).toBeGreaterThan(3.5 * args.max_tokens)
    expect(item.result?.text).toBe('Only this.')
    expect(item.result?.view).toMatchObject({
      calls: [
        { tool: 'list_dir', ok: true },
        { tool: 'read_file', ok: true },
      ],
    })
  })

  test('are a limit: further calls are not made, and it may answer', async () => {
    const seen: string[] = []
    const { item } = await delegate(
      (step, request) => {
        seen.push(...resultsOf(request))
        return step === 0
          ? readLong()
          : step === 1
            ? answer(call('list_dir', { path: '.' }))
            : answer(say('Only this.'))
      },
      { args },
    )
    expect(seen.join('\n')).toContain('No more calls. Answer now.')
    expect(seen.join('\n')).toContain('the budget of 1,000 tokens is used up')
    expect(item.result?.text).toBe('Only this.')
  })

  test('end it if it goes on with calls', async () => {
    let requests = 0
    const { item, outcome } = await delegate(
      (step) => {
        requests += 1
        return step === 0 ? readLong() : answer(call('read_file', { path: `other${step}.txt` }))
      },
      { args },
    )
    expect(requests).toBe(4)
    expect(item.result?.text).toMatch(
      /^The sub-agent wrote no report\.\n\nThe sub-agent reached a limit before it reported \(4 requests, 1 call, about [\d,]+ tokens\)\. It made more calls after its limit was reached\.$/,
    )
    expect(outcome).toBe('done')
  })
})

test.each([
  ['', {}],
  [', also if the server does not restore its slot', { savesSlots: true, lies: { hangsAtRestore: true } }],
])('it can be stopped alone, and the turn goes on%s', async (_, server) => {
  let stop = () => {}
  const { item, outcome, limit } = await delegate(
    (step) => {
      if (step === 0) return editLimit()
      stop()
      return answer({ kind: 'pause', ms: 600_000 }, say('Too late.'))
    },
    {
      args: { allow_changes: true },
      server,
      onRunning: (made, id, itemId) => {
        stop = () => void made.handlers['conversations.stopCall']({ id, itemId }, never)
      },
    },
  )
  expect(item).toMatchObject({ state: 'cancelled', result: { error: { code: 'cancelled' } } })
  expect(item.result?.text).toBe('Error (cancelled): The call was cancelled.\nUntil then the sub-agent changed a.ts.')
  expect(item.result?.view).toMatchObject({ kind: 'calls', calls: [{ tool: 'edit_file', ok: true }] })
  expect(await limit()).toContain('limit = 20')
  expect(outcome).toBe('done')
})

const refusal = { status: 400, body: '{"error":{"message":"bad"}}' }

test('what it did stays in the result if its model fails, and the model does not repeat it', async () => {
  const steps = [editLimit, () => answer(call('run_command', { command: 'echo done' }))]
  const { item } = await delegate((step) => steps[step]?.() ?? refusal, { args: { allow_changes: true } })
  expect(item.result?.text).toMatch(
    /^Error \(server_error\): The model of the sub-agent failed .*\nNext step: Check what it did, and do the rest yourself\.\nUntil then the sub-agent changed a\.ts; ran run_command echo done\.$/,
  )
  expect(item.result?.view).toMatchObject({ kind: 'calls', calls: [{ tool: 'edit_file' }, { tool: 'run_command' }] })
})

test('a model that failed before it did anything may be tried again', async () => {
  const { item } = await delegate(() => refusal)
  expect(item.result?.text).toMatch(/Next step: Try again, or do the work yourself\.$/)
  expect(item.result?.view).toEqual({ kind: 'text' })
})

test('what it changed is named if it reaches a limit without a report', async () => {
  const { item } = await delegate(
    (step) => (step === 0 ? editLimit() : answer(call('run_command', { command: 'true' }))),
    { args: { allow_changes: true } },
  )
  expect(item.result).toMatchObject({ ok: true, view: { kind: 'calls', report: true } })
  expect(item.result?.text).toMatch(/5 times.*\n\nUntil then the sub-agent changed a\.ts; ran run_command true\.$/s)
})

test('another model runs it if the user selected one, and the prompt of the conversation stays in its cache', async () => {
  const other = await serve(() => answer(say('From the other server.')))
  const { item, server, cost } = await delegate(() => answer(say('From the first one.')), {
    others: [{ id: 'o', name: 'O', kind: 'openai', baseUrl: other.url, hasKey: false }],
    settings: { subAgentModel: { endpointId: 'o', model: 'one-slot' } },
  })
  expect(item.result?.text).toBe('From the other server.')
  expect(server.prompts.map(({ extends: extended }) => extended)).toEqual([true, true])
  expect(cost?.requests).toBe(3)
})

test.each([
  ['the same model', 'one-slot', { savesSlots: true }, [0, 0, 0]],
  ['another name of the same model', 'alias', { savesSlots: true }, [0, 0, 0]],
  ['another name of the same model, on a server with two slots', 'alias', { slots: 2 }, [0, 1, 0]],
])('%s on the same server leaves the prompt of the conversation in the cache', async (_, model, own, slots) => {
  const { server } = await delegate(() => answer(say('Done.')), {
    server: own,
    settings: { subAgentModel: { endpointId: 'e', model } },
  })
  expect(server.prompts.map(({ slot }) => slot)).toEqual(slots)
  const [first, , last] = server.prompts
  expect(last?.cached).toBeGreaterThanOrEqual(first?.prompt.length ?? Infinity)
})

test('an endpoint that no longer exists is reported as the result', async () => {
  const { item, outcome } = await delegate(() => answer(say('Never.')), {
    settings: { subAgentModel: { endpointId: 'gone', model: 'm' } },
  })
  expect(item.result?.text).toMatch(/model of the sub-agent failed .*no longer exists/)
  expect(outcome).toBe('done')
})
