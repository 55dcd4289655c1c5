import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckStep, ModelChecksState, ModelReport } from '../../shared/models/modelCheck.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createCore, type Core } from '../core.ts'
import {
  answer,
  call,
  disconnect,
  say,
  think,
  waitForGate,
  type Reply,
  type ScriptedChatRequest,
  type ScriptedCompletion,
} from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { variedText } from '../testing/variedText.ts'
import { callQuestion, endlessText, visionQuestion } from './probes/probes.ts'
import { windowQuestion } from './probes/windowProbe.ts'

const never = new AbortController().signal
const endpointId = 'lab'
const key = 'secret-key-of-the-lab'
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Opened {
  core: Core
  server: ScriptedEndpoint
  userData: string
  states: ModelChecksState[]
  /** Resolves when no check runs any more. */
  idle(): Promise<ModelChecksState>
}

/** A core with one endpoint, whose server answers with `respond`. */
async function open(
  respond: (request: ScriptedChatRequest) => Reply,
  contextWindow?: number,
  completion?: ScriptedCompletion,
): Promise<Opened> {
  const server = await startScriptedEndpoint({
    name: 'check',
    model: 'tiny',
    turns: [],
    respond,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(completion && { completion }),
  })
  const data = await temporaryFolder()
  cleanups.push(
    () => data.remove(),
    () => server.close().catch(() => undefined),
  )
  return { ...(await openCore(server.url, data.root)), server, userData: data.root }
}

async function openCore(url: string, userData: string): Promise<Pick<Opened, 'core' | 'states' | 'idle'>> {
  const core = await createCore({
    platform: {
      host: 'headless',
      version: '1.2.3',
      userData,
      fork: inProcessIndex,
      resources: join(import.meta.dirname, '../../../resources'),
    },
    settings: { endpoints: [{ id: endpointId, name: 'Lab of Ana', kind: 'openai', baseUrl: url, hasKey: true }] },
    keys: { [endpointId]: key },
  })
  let disposed: Promise<void> | undefined
  const dispose = () => (disposed ??= core.dispose())
  cleanups.push(dispose)
  const states: ModelChecksState[] = []
  const idle = Promise.withResolvers<ModelChecksState>()
  core.subscribe((name, payload) => {
    if (name !== 'modelCheck.changed') return
    // The payload of this event has this type.
    const state = structuredClone(payload as ModelChecksState)
    states.push(state)
    if (state.running === null) idle.resolve(state)
  })
  return { core: { ...core, dispose }, states, idle: () => idle.promise }
}

const choice = { endpointId, model: 'tiny' }
const lastUser = ({ messages }: ScriptedChatRequest): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? ''

async function check(
  { core, idle }: Opened,
  steps: CheckStep[],
  minutes?: number,
): Promise<ModelChecksState & { report: ModelReport }> {
  await core.handlers['modelCheck.start']({ ...choice, steps, ...(minutes !== undefined && { minutes }) }, never)
  const state = await idle()
  // The tests of checks without a report use `problem` only.
  return { ...state, report: state.reports[0] as ModelReport }
}

/** A model that repeats the code word, unless its server cuts the prompt before. @param limit characters that arrive */
function remembering(limit: number, usage: 'right' | 'none' | 'constant' = 'right') {
  return ({ messages }: ScriptedChatRequest): Reply => {
    let length = 0
    const first = messages.findLastIndex(({ content }) => (length += content.length) > limit)
    const kept = messages.slice(first + 1)
    const promptTokens = Math.ceil(kept.reduce((sum, { content }) => sum + content.length, 0) / 4)
    const code = /The code word is ([\w-]+)\./.exec(kept.map(({ content }) => content).join('\n'))?.[1]
    const reply = answer(say(code ?? 'I do not know.'))
    if (usage === 'none') return { ...reply, usage: null }
    return { ...reply, usage: { promptTokens: usage === 'constant' ? 10 : promptTokens, completionTokens: 5 } }
  }
}

describe('the context window', () => {
  it('that a server claims and silently cuts is found by the count of its tokens', async () => {
    const { report } = await check(await open(remembering(20_000), 32_768), ['window'])
    expect(report.facts.window).toMatchObject({ assumed: 32_768, beyond: 'cut' })
    const limit = report.facts.window?.limit ?? 0
    expect(limit).toBeGreaterThan(4500)
    expect(limit).toBeLessThanOrEqual(5000)
    expect(report.findings).toEqual([{ code: 'window_cut_silently', count: 1 }])
    expect(report.recommendation.contextWindow?.value).toBeLessThanOrEqual(limit)
    expect(report.recommendation.profile.reason).toContain('Minimal')
  })

  it.each(['none', 'constant'] as const)('is found by what the model remembers if the counts are %s', async (usage) => {
    const { report } = await check(await open(remembering(20_000, usage), 16_384), ['window'])
    expect(report.facts.window).toMatchObject({ beyond: 'cut' })
    expect(report.facts.window?.limit).toBeLessThanOrEqual(20_000 / 3)
  })

  it('that is as stated is not called cut, although texts before had twice as many tokens', async () => {
    const counting = ({ messages }: ScriptedChatRequest): Reply => {
      const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
      const promptTokens = Math.ceil(characters / (messages[0]?.content.includes('Ship') ? 1.4 : 2))
      const message = `request (${promptTokens} tokens) exceeds the available context size (8192 tokens), try increasing it`
      const error = {
        code: 400,
        message,
        type: 'exceed_context_size_error',
        n_prompt_tokens: promptTokens,
        n_ctx: 8192,
      }
      if (promptTokens > 8192) return { status: 400, body: JSON.stringify({ error }) }
      return { ...answer(say('I do not know.')), usage: { promptTokens, completionTokens: 5 } }
    }
    const { report } = await check(await open(counting, 8192), ['cache', 'window'])
    expect(report.facts.window).toMatchObject({ assumed: 8192, beyond: 'refused', limit: 8192 })
    expect(report.findings.map(({ code }) => code)).not.toContain('window_cut_silently')
  })

  it('that was measured stays known if a longer prompt fails', async () => {
    const opened = await open(
      (request) =>
        JSON.stringify(request.messages).length > 15_000
          ? { status: 413, body: '<html><body>Request Entity Too Large</body></html>' }
          : remembering(Infinity)(request),
      32_768,
    )
    const { report } = await check(opened, ['window'])
    expect(report.steps).toMatchObject([{ state: 'failed', detail: expect.stringContaining('HTTP 413') }])
    expect(report.facts.window).toMatchObject({ beyond: 'untested', complete: expect.any(Number) })
    expect(report.facts.window?.complete).toBeGreaterThan(2500)
  })

  it('that a server claims without reading prompts is measured up to a million tokens', async () => {
    let longest = 0
    const opened = await open(({ messages }) => {
      longest = Math.max(longest, JSON.stringify(messages).length)
      return { ...answer(say('ok')), usage: null }
    }, 1e9)
    const { report } = await check(opened, ['window'])
    expect(report.facts.window).toMatchObject({ beyond: 'untested', unconfirmed: true })
    expect(longest).toBeLessThan(10_000_000)
  })

  it('is not confirmed by a server without usable counts and a model that remembers nothing', async () => {
    const opened = await open(remembering(0, 'constant'), 16_384)
    const { report } = await check(opened, ['window'])
    expect(report.facts.window).toMatchObject({ beyond: 'untested', unconfirmed: true })
    expect(report.recommendation).not.toHaveProperty('contextWindow')
    const { text } = await opened.core.handlers['modelCheck.export']({ id: report.id, format: 'markdown' }, never)
    expect(text).toContain('tokens were accepted, but may not have arrived.')
  })

  it('that holds what the server states needs no change, and the error about longer prompts is understood', async () => {
    const opened = await open((request) => {
      const characters = request.messages.reduce((sum, { content }) => sum + content.length, 0)
      return characters / 4 > 8192
        ? {
            status: 400,
            body: JSON.stringify({
              error: { message: 'exceeds', type: 'exceed_context_size_error', n_prompt_tokens: 9000, n_ctx: 8192 },
            }),
          }
        : remembering(Infinity)(request)
    }, 8192)
    const { report } = await check(opened, ['window'])
    expect(report.facts.window).toMatchObject({ beyond: 'refused', limit: 8192 })
    expect(report.recommendation.contextWindow).toBeUndefined()
    expect(report.findings).toEqual([])
    expect(opened.server.requests.some(({ body }) => JSON.stringify(body ?? '').includes(windowQuestion))).toBe(true)
  })
})

describe('a server', () => {
  it('that dies midway ends the check with what was found before', async () => {
    let requests = 0
    const opened = await open(() => {
      requests += 1
      if (requests < 2) return answer(say('1 2 3'))
      void opened.server.close()
      return answer(say('I will'), disconnect)
    })
    const { report } = await check(opened, ['answer', 'call', 'cache', 'read'])
    expect(report).toMatchObject({ ended: 'server_failed', verdict: 'unfinished' })
    expect(report.steps.map(({ state }) => state)).toEqual(['passed', 'failed', 'skipped', 'skipped'])
  })

  it('that cuts off answers is not the fault of the model', async () => {
    const opened = await open(({ messages }) =>
      messages.length > 1 ? answer(say('I will'), disconnect) : answer(say('1 2 3')),
    )
    const { report } = await check(opened, ['answer', 'read', 'edit'])
    expect(report.steps).toMatchObject([
      { state: 'passed' },
      { state: 'failed', note: 'A request failed.', serverFailed: true },
      { state: 'failed', note: 'A request failed.', serverFailed: true },
    ])
    expect(report).toMatchObject({ ended: 'complete', verdict: 'unfinished' })
    expect(report.facts.calls).toBeUndefined()
    expect(report.findings).toEqual([{ code: 'failed_requests', count: 2 }])
    expect(report.recommendation.profile.value).toBe('auto')
  })

  it('that never answers is reported at the time limit of the first request', async () => {
    const opened = await open(() => answer(waitForGate('never')))
    const { problem, reports } = await check(opened, ['answer', 'read'], 0.01)
    expect(problem).toContain('did not finish an answer')
    expect(reports).toEqual([])
  })

  it.each([['answer'], ['call']] as const)(
    'that thinks for longer than a request may take is checked further (first step: %s)',
    async (first) => {
      const opened = await open(() => answer(think('Hm. '), waitForGate('never')))
      const { report, problem } = await check(opened, [first, 'vision'], 0.2)
      expect(problem).toBeNull()
      expect(report.steps).toMatchObject([
        { state: 'failed', note: expect.stringContaining('No complete answer') },
        { state: 'failed', note: expect.stringContaining('No complete answer') },
      ])
      expect(report.ended).toBe('complete')
      if (first === 'answer') expect(report.facts).toMatchObject({ thinking: true, firstTokenMs: expect.any(Number) })
    },
  )

  it('that stops answering is left at the time limit, with what was found before', async () => {
    const opened = await open((request) =>
      lastUser(request).startsWith('Count') ? answer(say('1 2 3')) : answer(waitForGate('never')),
    )
    const { report } = await check(opened, ['answer', 'call', 'read'], 0.2)
    expect(report.steps).toMatchObject([
      { state: 'passed' },
      { state: 'failed', note: expect.stringContaining('No complete answer') },
      { state: 'failed', note: expect.stringContaining('Stopped after') },
    ])
  })

  it('that does not know the model is reported, and nothing is stored', async () => {
    const opened = await open(() => ({ status: 404, body: '{"error":{"message":"model \'tiny\' not found"}}' }))
    const { problem, reports } = await check(opened, ['answer', 'read'])
    expect(problem).toContain('tiny')
    expect(reports).toEqual([])
  })

  it('that refuses pictures is no failure of the model', async () => {
    const opened = await open((request) =>
      lastUser(request) === visionQuestion
        ? { status: 400, body: '{"error":{"message":"image input is not supported"}}' }
        : answer(say('1 2 3')),
    )
    const { report } = await check(opened, ['answer', 'vision'])
    expect(report.facts.vision).toBe('refused')
    expect(report.findings).toEqual([])
  })
})

describe('a model', () => {
  it('that never ends its answers is stopped, in requests and in tasks', async () => {
    const endless = variedText(1_000_000)
    const { report } = await check(await open(() => answer(say(endless))), ['answer', 'read'])
    expect(report.steps).toMatchObject([
      { state: 'failed', note: endlessText },
      { state: 'failed', detail: expect.stringContaining('characters') },
    ])
    expect(report.verdict).toBe('unsuitable')
  })

  it('that repeats a call forever fails its task, and the repetition is a finding', async () => {
    const opened = await open(() => answer(call('read_file', { path: 'notes/market.txt' })))
    const { report } = await check(opened, ['read'])
    expect(report.steps[0]).toMatchObject({ state: 'failed', note: 'Stopped because the model repeated itself.' })
    expect(report.findings.map(({ code }) => code)).toContain('repeated_calls')
    expect(report.recommendation.temperature.value).toBeGreaterThan(0.2)
  })

  it('cannot run other commands than the tests of its task', async () => {
    const opened = await open(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? answer(say('Done.'))
        : answer(call('run_command', { command: `touch ${join(opened.userData, 'escaped')}` })),
    )
    const { report } = await check(opened, ['read', 'repair'])
    expect(report.steps.map(({ state }) => state)).toEqual(['failed', 'failed'])
    expect(await readdir(opened.userData)).not.toContain('escaped')
  })
})

describe('a running check', () => {
  it('is the only one, reports its progress, and ends its request when it is cancelled', async () => {
    const opened = await open(() => answer(waitForGate('never')))
    const { core, server, states, idle } = opened
    await core.handlers['modelCheck.start']({ ...choice, steps: ['read'] }, never)
    expect(() => core.handlers['modelCheck.start'](choice, never)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    await until(() => server.requests.some(({ path }) => path.endsWith('/chat/completions')))
    await core.handlers['modelCheck.cancel']({}, never)
    const { reports } = await idle()
    expect(reports).toEqual([])
    const request = server.requests.find(({ path }) => path.endsWith('/chat/completions'))
    expect(await request?.ended).toBe('broken')
    expect(states.some(({ running }) => running?.steps.some(({ state }) => state === 'running'))).toBe(true)
    expect(states.some(({ running }) => running?.cancelling === true)).toBe(true)
  })

  it('ends with its core, and leaves no folder behind', async () => {
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('tizona-check-'))
    const before = new Set(await folders())
    const { core, server } = await open(() => answer(waitForGate('never')))
    await core.handlers['modelCheck.start']({ ...choice, steps: ['read'] }, never)
    await until(() => server.requests.some(({ path }) => path.endsWith('/chat/completions')))
    const own = (await folders()).filter((name) => !before.has(name))
    expect(own).not.toEqual([])
    await core.dispose()
    const left = await folders()
    expect(own.some((name) => left.includes(name)) && own.length === 1).toBe(false)
  })
})

describe('a model that calls no tool by itself', () => {
  /** Chats, but fills in a schema sensibly. */
  const chatting = ({ messages, body }: ScriptedChatRequest): Reply => {
    const format = JSON.stringify(body['response_format'] ?? '')
    const asked = messages.at(-1)?.content ?? ''
    if (format.includes('"kind"')) return answer(say(JSON.stringify({ message: asked, kind: 'work' })))
    if (format.includes('"path"')) return answer(say(JSON.stringify({ tool: 'read', path: 'notes/harbour.txt' })))
    if (format.includes('"tool"')) return answer(say(JSON.stringify({ task: asked, tool: 'read' })))
    const code = /Access code: ([\w-]+)/.exec(asked)?.[1]
    return answer(say(code ?? 'I would read the file.'))
  }

  it('is tried in guided turns where the server can constrain answers, and they are recommended if they work', async () => {
    const server: ScriptedCompletion = { server: 'llamacpp', respond: () => '' }
    const opened = await open(chatting, undefined, server)
    const { report } = await check(opened, ['call', 'read'])
    expect(report.steps.map(({ step, state }) => [step, state])).toEqual([
      ['call', 'failed'],
      ['read', 'passed'],
    ])
    expect(report.facts.calls).toBe('guided')
    expect(report.findings.map(({ code }) => code)).toContain('guided_calls')
    expect(report.verdict).not.toBe('unsuitable')
    expect(report.recommendation.calls).toEqual({
      value: 'guided',
      reason: 'The model called no tool by itself. In guided turns it solved 1 of 1 task.',
    })
    await opened.core.handlers['modelCheck.apply']({ id: report.id }, never)
    const { settings } = await opened.core.handlers['app.state']({}, never)
    expect(settings.endpoints[0]?.models).toMatchObject({ tiny: { calls: 'guided' } })
  })

  it('has a template without tools, although its answer to the call does not come in time', async () => {
    const server: ScriptedCompletion = { server: 'llamacpp', tools: false, respond: () => '' }
    const silent = (request: ScriptedChatRequest) =>
      lastUser(request) === callQuestion ? answer(waitForGate('never')) : answer(say('1 2 3'))
    const { report } = await check(await open(silent, undefined, server), ['answer', 'call'], 0.1)
    expect(report.steps[1]).toMatchObject({ step: 'call', state: 'failed' })
    expect(report.findings.map(({ code }) => code)).toEqual(['no_tool_template'])
  })

  it('stays unsuitable on a server that cannot', async () => {
    const { report } = await check(await open(chatting), ['call', 'read'])
    expect(report.facts.calls).toBe('none')
    expect(report.verdict).toBe('unsuitable')
    expect(report.recommendation.calls).toBeUndefined()
  })
})

it('a model that repeats itself does not use up the time of its steps', async () => {
  const endless = 'The secret word is: apple, and I will say it again. '.repeat(200)
  const { report } = await check(await open(() => answer(say(endless))), ['answer', 'read'])
  expect(report.steps.map(({ note }) => note)).toEqual([endlessText, 'Stopped because the answer repeated itself.'])
  expect(report.findings.map(({ code }) => code)).toContain('repeated_text')
})

describe('a report', () => {
  it('is kept, applied, exported without anything about the machine, and removed', async () => {
    const opened = await open(remembering(20_000), 32_768)
    const { report } = await check(opened, ['answer', 'window'])
    await opened.core.dispose()
    const again = await openCore(opened.server.url, opened.userData)
    const { handlers } = again.core
    const state = await handlers['modelCheck.state']({}, never)
    expect(state).toEqual({ running: null, problem: null, reports: [report] })

    await handlers['modelCheck.apply']({ id: report.id }, never)
    const { settings } = await handlers['app.state']({}, never)
    const window = report.recommendation.contextWindow?.value
    expect(settings.endpoints[0]?.models).toEqual({ tiny: { contextWindow: window } })
    expect(settings.endpoints[0]?.hasKey).toBe(true)

    for (const format of ['markdown', 'json'] as const) {
      const { name, text } = await handlers['modelCheck.export']({ id: report.id, format }, never)
      expect(name).toMatch(/^tizona-check-tiny\.(md|json)$/)
      expect(text).toMatch(/truncat|cut/)
      for (const own of [
        key,
        'Lab of Ana',
        '127.0.0.1',
        opened.userData,
        endpointId + '"',
        new URL(opened.server.url).port,
      ])
        expect(text).not.toContain(own)
    }

    await handlers['modelCheck.remove']({ id: report.id }, never)
    expect((await handlers['modelCheck.state']({}, never)).reports).toEqual([])
    await expect(async () => handlers['modelCheck.apply']({ id: report.id }, never)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it.each(['cancelled', 'time_limit', 'server_failed'] as const)(
    'that ended early (%s) is not applied',
    async (ended) => {
      const opened = await open(remembering(20_000), 32_768)
      const { report } = await check(opened, ['answer', 'window'])
      await opened.core.dispose()
      await writeFile(join(opened.userData, 'model-checks.json'), JSON.stringify([{ ...report, ended }]))
      const { handlers } = (await openCore(opened.server.url, opened.userData)).core
      await expect(async () => handlers['modelCheck.apply']({ id: report.id }, never)).rejects.toMatchObject({
        code: 'conflict',
        message: 'The check did not finish, so its settings cannot be applied.',
      })
      const { settings } = await handlers['app.state']({}, never)
      expect(settings.endpoints[0]?.models).toBeUndefined()
    },
  )

  it('of one model is applied while another process applies that of another model of the server', async () => {
    const opened = await open(remembering(20_000), 32_768)
    const { report } = await check(opened, ['answer', 'window'])
    await opened.core.dispose()
    const file = join(opened.userData, 'model-checks.json')
    const other = { ...report, id: 'other', model: 'other' }
    await writeFile(file, JSON.stringify([report, other]))
    const cores = [
      (await openCore(opened.server.url, opened.userData)).core,
      (await openCore(opened.server.url, opened.userData)).core,
    ]
    // The server is stored before, so that both know it without its new options.
    await cores[0]?.handlers['modelCheck.apply']({ id: 'other' }, never)
    const store = join(opened.userData, 'settings.json')
    const { endpoints, ...rest } = JSON.parse(await readFile(store, 'utf8'))
    await writeFile(
      store,
      JSON.stringify({ ...rest, endpoints: [{ ...endpoints[0], models: { third: { topP: 0.5 } } }] }),
    )
    const ids = [report.id, other.id]
    await Promise.all(cores.map(async ({ handlers }, at) => handlers['modelCheck.apply']({ id: ids[at] ?? '' }, never)))
    const stored = settingsSchema.parse(JSON.parse(await readFile(store, 'utf8')))
    const contextWindow = report.recommendation.contextWindow?.value
    expect(stored.endpoints).toMatchObject([
      { id: endpointId, models: { tiny: { contextWindow }, other: { contextWindow }, third: { topP: 0.5 } } },
    ])
  })

  it('file that is damaged is set aside', async () => {
    const data = await temporaryFolder()
    cleanups.push(() => data.remove())
    await writeFile(join(data.root, 'model-checks.json'), '[{"id":1}')
    const { core } = await openCore('http://127.0.0.1:1', data.root)
    expect((await core.handlers['modelCheck.state']({}, never)).reports).toEqual([])
    expect(await readdir(data.root)).toContain('model-checks.json.broken')
  })
})

/** Waits for a condition that an HTTP server reaches by itself. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}
