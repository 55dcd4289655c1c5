import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createCore } from '../core.ts'
import { isRecord } from '../model/transport/modelErrors.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import type { ScriptedEmbeddings } from '../model/scripted/scenario.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

const model = 'nomic-embed-text'
const files = {
  'src/retry.ts': '/** Retry delay, retry count, delay of a retry. */\nexport function retryDelay() {\n  return 1\n}\n',
  'src/counter.ts': 'export function counter(retry: number, delay: number) {\n  return retry + delay\n}\n',
  'src/patience.ts': 'export function patience(retry: number) {\n  return 2 ** retry\n}\n',
  // A secret place that is not hidden, so the code index knows the file.
  'src/credentials.json': '{ "retry delay": "retry-delay-secret" }\n',
}

/** Starts a headless core in a folder with these files, and investigates a question in it. */
async function setUp(respond: ScriptedEmbeddings['respond'], selected = true) {
  const folder = await temporaryFolder(files)
  const data = await temporaryFolder()
  const endpoint = await startScriptedEndpoint({ name: 'embeddings', turns: [], embeddings: { model, respond } })
  const core = await createCore({
    platform: headlessPlatform(path.join(data.root, 'user')),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      ...(selected && { embeddings: { endpointId: 'e', model } }),
    },
    trustWorkspace: true,
  })
  onTestFinished(async () => {
    await core.dispose()
    await endpoint.close()
    await Promise.all([folder.remove(), data.remove()])
  })
  await core.openWorkspace(folder.root)
  async function investigate(): Promise<string[]> {
    const { text } = await core.executor.call({
      callId: 'c',
      name: 'codebase_investigator',
      arguments: { objective: 'What is the retry delay?' },
      toolset: 'blade',
      mode: 'safe',
      attended: false,
      signal: new AbortController().signal,
    })
    const { findings } = z.object({ findings: z.array(z.object({ title: z.string() })) }).parse(JSON.parse(text))
    return findings.map(({ title }) => title)
  }
  const sent = () =>
    endpoint.requests.flatMap(({ path: address, body }) =>
      address === '/v1/embeddings' && isRecord(body) && Array.isArray(body['input']) ? body['input'].map(String) : [],
    )
  return { investigate, sent }
}

const byWords = [
  'function retryDelay in src/retry.ts',
  'function counter in src/counter.ts',
  'function patience in src/patience.ts',
]

test('an embedding model moves findings up, and never receives secret files', async () => {
  const meaning = (text: string) => (text.includes('counter') ? [0, 1] : text.includes('retryDelay') ? [1, 1] : [1, 0])
  const { investigate, sent } = await setUp((texts) => texts.map(meaning))
  await expect.poll(investigate).toEqual([byWords[0], byWords[2], byWords[1]])
  expect(sent()[0]).toBe('search_query: What is the retry delay?')
  expect(sent().some((text) => text.startsWith('search_document: src/patience.ts\npatience\nexport function'))).toBe(
    true,
  )
  expect(sent().join('\n')).not.toMatch(/credentials|retry-delay-secret/)
})

test('without the setting, nothing is sent and the words decide', async () => {
  const { investigate, sent } = await setUp(() => [], false)
  await expect.poll(investigate).toEqual(byWords)
  expect(sent()).toEqual([])
})

test('damaged embeddings leave the order of the words', async () => {
  const { investigate, sent } = await setUp((texts) => texts.slice(1).map(() => [1]))
  await expect.poll(investigate).toEqual(byWords)
  expect(sent()).not.toEqual([])
})
