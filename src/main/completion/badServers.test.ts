import { expect, onTestFinished, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createFimClient } from '../model/fim/fimClient.ts'
import { disconnect, raw, say, waitForGate, type ScriptedCompletion } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { createCompletionFigures, noFigures } from './completionFigures.ts'
import { createCompletions } from './completions.ts'

const before = 'import { readFile } from "node:fs/promises"\n\nexport const text = '

/** Suggestions over real HTTP from a server that answers like this. */
async function suggestions(respond: ScriptedCompletion['respond']) {
  const endpoint = await startScriptedEndpoint({ name: 'bad', turns: [], completion: { server: 'llamacpp', respond } })
  onTestFinished(() => endpoint.close())
  const model = { endpointId: 'e', model: 'qwen' }
  const settings = settingsSchema.parse({ completion: { enabled: true, model } }).completion
  const client = createFimClient({
    access: () =>
      Promise.resolve({
        root: endpoint.url,
        connection: {},
        target: { name: 'Bad', kind: 'openai', baseUrl: endpoint.url },
      }),
    timeouts: { headersMs: 300, chunkMs: 300 },
  })
  onTestFinished(() => client.close())
  const failures: unknown[] = []
  const completions = createCompletions({
    settings: () => settings,
    client,
    isAllowed: () => Promise.resolve(true),
    isReadable: () => true,
    definitions: () => Promise.resolve(''),
    counter: createCompletionFigures({ value: noFigures, update: () => Promise.resolve() }, () => undefined),
    onFailed: (error) => failures.push(error),
    onRecovered: () => undefined,
  })
  onTestFinished(() => completions.stop())
  const suggest = (typed: string) =>
    completions.suggest(
      { id: typed, path: 'a.ts', line: 3, before: before + typed, after: '\n' },
      new AbortController().signal,
    )
  return { suggest, failures, completions, endpoint }
}

test.each<[string, ScriptedCompletion['respond']]>([
  ['an error 500', () => ({ status: 500, body: '{"error":{"message":"out of memory"}}' })],
  ['10 MB at once', () => [raw(`data: {"content":"${'x'.repeat(10_000_000)}"}\n\n`)]],
  ['no answer', () => [waitForGate('never')]],
  ['a connection that closes early', () => [say('a'), disconnect]],
  ['text that is not JSON', () => [raw('data: <html>\n\n')]],
])('%s: the user is informed once, and there is no suggestion', async (_what, respond) => {
  const { suggest, failures } = await suggestions(respond)
  expect(await suggest('a')).toBeNull()
  expect(await suggest('aw')).toBeNull()
  expect(failures).toHaveLength(1)
})

test('a model that answers with the prompt suggests only what follows it, and informs about nothing', async () => {
  const echo = await suggestions((request) => request.before)
  expect(await echo.suggest('a')).toBeNull()
  const continued = await suggestions((request) => `${request.before}wait readFile("a")`)
  expect(await continued.suggest('a')).toMatchObject({ text: 'wait readFile("a")' })
  expect([...echo.failures, ...continued.failures]).toEqual([])
})

test('an answer that comes after the cursor moved is ignored, and its request is closed', async () => {
  const { suggest, failures, endpoint } = await suggestions(({ before: text }) =>
    text.endsWith('b') ? 'right' : [waitForGate('late'), say('wrong')],
  )
  const first = suggest('a')
  await expect.poll(() => endpoint.requests.filter(({ path }) => path === '/infill').length).toBe(2)
  const late = endpoint.requests.at(-1)
  const second = suggest('ab')
  expect(await first).toBeNull()
  expect(await late?.ended).toBe('broken')
  endpoint.release('late')
  expect(await second).toMatchObject({ text: 'right' })
  expect(failures).toEqual([])
})
