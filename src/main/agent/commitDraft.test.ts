import { expect, it } from 'vitest'
import type { ChatRequest, ModelEvent } from '../model/modelClient.ts'
import { createTokenCounter } from '../model/tokens/tokenCounter.ts'
import { cleanCommitMessage, draftCommitMessage } from './commitDraft.ts'

const choice = { endpointId: 'e', model: 'm' }

/** Drafts with a model that answers with `text`. @returns the message and the request */
async function draft(text: string, diff: string, contextWindow?: number) {
  const requests: ChatRequest[] = []
  const target = { name: 'e', kind: 'openai' as const, baseUrl: 'http://127.0.0.1:9' }
  const tokens = createTokenCounter(
    { root: target.baseUrl, target, tokenizer: false, connection: () => Promise.resolve({}) },
    'm',
  )
  async function* stream(request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    requests.push(request)
    yield { kind: 'text', text }
    yield { kind: 'finish', reason: 'stop' }
  }
  const model = async () => ({
    tokens,
    ...(contextWindow && { contextWindow }),
    client: { models: async () => [], stream },
  })
  const input = { diff, files: [{ path: 'a.ts', added: 1, removed: 0 }], recent: ['api: add dates'] }
  const message = await draftCommitMessage(model, choice, input, new AbortController().signal)
  return { message, prompt: requests[0]?.messages[0]?.content ?? '', request: requests[0] }
}

it('is drafted from the diff, the files and the style of recent commits, without tools', async () => {
  const { message, prompt, request } = await draft(
    '```\napi: parse dates\n\nISO only.\n```',
    'diff --git a/a.ts b/a.ts\n+x\n',
  )
  expect(message).toBe('api: parse dates\n\nISO only.')
  expect(prompt).toContain('api: add dates')
  expect(prompt).toContain('a.ts (+1 -0)')
  expect(prompt).toContain('+x')
  expect(request?.tools).toEqual([])
})

it('sends a bounded diff in which each file keeps its start', async () => {
  const large = `diff --git a/big b/big\n${'+big\n'.repeat(50_000)}diff --git a/small b/small\n+small\n`
  const { prompt } = await draft('Fix it', large)
  expect(prompt.length).toBeLessThan(27_000)
  expect(prompt).toContain('+small')
  const small = await draft('Fix it', large, 4096)
  expect(small.prompt.length).toBeLessThan(8000)
  expect(small.request?.contextWindow).toBe(4096)
})

it.each([
  [
    'repeats itself',
    `{\n  "subject": "Add total",\n  "body": "It is new. ${'This feature is in the next version. '.repeat(300)}`,
  ],
  ['is half of an object', '{ "subject": "Add to'],
  ['is too long', Array.from({ length: 1500 }, (_, at) => `word${at}`).join(' ')],
])('that %s is refused, and not offered as a message', async (_what, text) => {
  await expect(draft(text, '+x')).rejects.toMatchObject({ code: 'no_change', message: /no usable message/ })
})

// The second and third are answers of SmolLM2-135M-Instruct.
it.each([
  '  ',
  "const {git, clone} = require('npmjs');\n\nclone.new()",
  '2018-07-31T14:59:56.000Z\n\nThe version is new.',
  '<b>Fix</b>',
])('that is %j is refused', async (text) => {
  await expect(draft(text, '+x')).rejects.toMatchObject({ code: 'no_change' })
})

it.each([
  'Import dates',
  'editor: call `parse()` once',
  '修复解析器',
  'Return early if (a) holds',
  'fix(api): use {} for no options here',
])('that is %j is a message', async (text) => {
  expect((await draft(text, '+x')).message).toBe(text)
})

it.each([
  ['"Fix the parser"', 'Fix the parser'],
  ['Commit message: fix it', 'fix it'],
  // SmolLM2-135M-Instruct behind LiteLLM.
  ['git commit -amf -p "Added total.js"', 'Added total.js'],
  ['Here it is:\n```text\nfix it\n```\nEnjoy!', 'fix it'],
])('is the message in %s', (answer, message) => {
  expect(cleanCommitMessage(answer)).toBe(message)
})
