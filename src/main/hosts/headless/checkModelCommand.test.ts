import { mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkSteps } from '../../../shared/models/modelCheck.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { answer, say, waitForGate, type Reply, type ScriptedChatRequest } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { createCore } from '../../core.ts'
import { runCommand } from './commandDispatch.ts'
import { usage } from './commandHelp.ts'
import { createOutput } from './standardOutput.ts'

let userData: string
const spoken: string[] = []
const servers: ScriptedEndpoint[] = []

beforeEach(async () => {
  userData = await mkdtemp(join(tmpdir(), 'tizona-check-command-'))
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await rm(userData, { recursive: true, force: true })
})

async function serveAnswers(respond: (request: ScriptedChatRequest) => Reply): Promise<string> {
  const server = await startScriptedEndpoint({ name: 'check', model: 'tiny', contextWindow: 4096, turns: [], respond })
  servers.push(server)
  return server.url
}

async function checkModel(args: string[], interrupted?: AbortSignal): Promise<{ code: number; out: string }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const code = await runCommand(['check-model', ...args], {
    output: createOutput(stream),
    userData,
    ...(interrupted && { interrupted }),
  })
  return { code, out }
}

const counting = (): Reply => answer(say('1 2 3'))

/** Checks only the first task of a model. */
const checkAnswers = (url: string): string[] => [
  '--endpoint',
  url,
  '--model',
  'tiny',
  '--kind',
  'openai',
  '--tasks',
  'answer',
]

describe('check-model', () => {
  it('prints progress to standard error and the report to standard output', async () => {
    const url = await serveAnswers(counting)
    const { code, out } = await checkModel([
      '--endpoint',
      url,
      '--model',
      'tiny',
      '--kind',
      'openai',
      '--tasks',
      'answer, read',
    ])
    // The model never calls a tool.
    expect(code).toBe(1)
    expect(out).toMatch(/^# tiny: unsuitable\n/)
    expect(out).not.toContain(url)
    expect(spoken).toEqual([
      'Passed: Answer, speed and thinking',
      'Failed: Read a file and answer. The answer does not contain the code.',
    ])
  })

  it('--json prints one object, and --apply stores the settings for the application', async () => {
    const url = await serveAnswers(({ messages }) =>
      JSON.stringify(messages).length > 9000
        ? {
            status: 400,
            body: '{"error":{"message":"too long","type":"exceed_context_size_error","n_ctx":2304,"n_prompt_tokens":9000}}',
          }
        : answer(say('1 2 3')),
    )
    const args = ['--endpoint', url, '--model', 'tiny', '--kind', 'openai', '--tasks', 'window', '--json', '--apply']
    const { out } = await checkModel(args)
    expect(JSON.parse(out)).toMatchObject({ tizona: 'model check', model: 'tiny', facts: { window: { limit: 2304 } } })
    const core = await createCore({ platform: { host: 'headless', version: 'test', userData, resources: 'resources' } })
    try {
      const { settings } = await core.handlers['app.state']({}, new AbortController().signal)
      expect(settings.endpoints).toMatchObject([
        { baseUrl: url, hasKey: false, models: { tiny: { contextWindow: 2304 } } },
      ])
      expect(settings.profile).toBe(settingsSchema.parse({}).profile)
    } finally {
      await core.dispose()
    }
  })

  it('--apply of two runs at once stores the server once', async () => {
    // Both runs list the stored servers before one of them adds this one.
    const url = await serveAnswers(counting)
    const args = [...checkAnswers(url), '--apply']
    await Promise.all([checkModel(args), checkModel(args), checkModel(args)])
    const { endpoints } = settingsSchema.parse(JSON.parse(await readFile(join(userData, 'settings.json'), 'utf8')))
    expect(endpoints.map(({ baseUrl }) => baseUrl)).toEqual([url])
  })

  it('--apply of a check that is cancelled stores nothing, with the reason', async () => {
    const interrupt = new AbortController()
    let answered = 0
    const url = await serveAnswers(() => {
      answered += 1
      if (answered > 1) interrupt.abort(new DOMException('Interrupted.', 'AbortError'))
      return counting()
    })
    const args = ['--endpoint', url, '--model', 'tiny', '--kind', 'openai', '--tasks', 'answer,read', '--apply']
    const { code, out } = await checkModel(args, interrupt.signal)
    expect(code).toBe(130)
    expect(out).toContain('Cancelled.')
    expect(spoken.at(-1)).toBe('The check did not finish, so its settings cannot be applied. Run the check again.')
    expect(await readFile(join(userData, 'settings.json'), 'utf8').catch(() => '')).not.toContain(url)
  })

  it('prints the report even if it cannot be stored', async () => {
    const url = await serveAnswers(() => {
      // A folder in place of the file of reports.
      mkdirSync(join(userData, 'model-checks.json'), { recursive: true })
      return counting()
    })
    const { code, out } = await checkModel(checkAnswers(url))
    expect(spoken.join('\n')).toContain('could not be stored')
    expect(out).toMatch(/^# tiny: /)
    expect(code).toBe(0)
  })

  it('ends with 3 and the reason if the server does not answer', async () => {
    const { code, out } = await checkModel(['--endpoint', 'http://127.0.0.1:1', '--model', 'tiny', '--kind', 'openai'])
    expect(code).toBe(3)
    expect(out).toBe('')
    expect(spoken.join('\n')).toContain('127.0.0.1:1')
  })

  it('takes a time limit that is no whole number of milliseconds', async () => {
    const url = await serveAnswers(counting)
    const args = [...checkAnswers(url), '--minutes', '0.98765432']
    expect((await checkModel(args)).code).toBe(0)
  })

  it.each([[[]], [['--kind', 'openai']]])(
    'ends with 3 and the reason at the time limit if the server accepts connections and never answers (%j)',
    async (kind) => {
      const silent = createServer()
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as AddressInfo
      const url = `http://127.0.0.1:${port}`
      const { code, out } = await checkModel(['--endpoint', url, '--model', 'tiny', '--minutes', '0.01', ...kind])
      silent.close()
      expect(code).toBe(3)
      expect(out).toBe('')
      expect(spoken).toEqual([expect.stringMatching(/in 1 second\. .*Check the log of/i)])
    },
  )

  it('Ctrl+C ends it with 130, and its request at the server', async () => {
    const url = await serveAnswers(() => {
      setTimeout(() => interrupt.abort(new DOMException('Interrupted.', 'AbortError')), 50)
      return answer(waitForGate('never'))
    })
    const interrupt = new AbortController()
    const args = ['--endpoint', url, '--model', 'tiny', '--kind', 'openai', '--tasks', 'answer']
    expect((await checkModel(args, interrupt.signal)).code).toBe(130)
    const request = servers[0]?.requests.find(({ path }) => path.endsWith('/chat/completions'))
    expect(await request?.ended).toBe('broken')
  })

  it.each([
    [['--model', 'tiny'], '--endpoint is missing'],
    [['--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--tasks', 'read,fly'], '--tasks'],
    [['--endpoint', 'http://127.0.0.1:1', '--model', 'm', '--minutes', '0'], '--minutes'],
    [['now', '--endpoint', 'http://127.0.0.1:1', '--model', 'm'], 'Unexpected argument'],
  ])('%j is refused with 2 and a reason', async (args, reason) => {
    expect((await checkModel(args)).code).toBe(2)
    expect(spoken.join('\n')).toContain(reason)
  })

  it('has help that names each step', () => {
    for (const step of checkSteps) expect(usage).toContain(step)
  })
})
