import { describe, expect, test } from 'vitest'
import { ModelError, type ChatRequest, type ModelEvent } from '../model/clients/modelClient.ts'
import { settingsSchema } from '../../shared/settings.ts'
import { createTokenCounter } from '../model/tokens/tokenCounter.ts'
import { cleanTitle, createTitles } from './titles.ts'

const choice = { endpointId: 'e', model: 'small' }

function titlesOf(
  answer: (request: ChatRequest) => AsyncGenerator<ModelEvent, void, void>,
  smallModel: typeof choice | null = choice,
) {
  const requests: ChatRequest[] = []
  const where = { name: 'e', kind: 'openai' as const, baseUrl: 'http://127.0.0.1:9' }
  const tokens = createTokenCounter(
    { root: where.baseUrl, target: where, tokenizer: false, connection: () => Promise.resolve({}) },
    'small',
  )
  const titles = createTitles({
    settings: () => settingsSchema.parse({ smallModel }),
    model: async () => ({
      tokens,
      client: {
        models: async () => [],
        stream(request) {
          requests.push(request)
          return answer(request)
        },
      },
    }),
  })
  return { titles, requests }
}
async function* saying(...texts: string[]): AsyncGenerator<ModelEvent, void, void> {
  for (const text of texts) yield { kind: 'text', text }
  yield { kind: 'finish', reason: 'stop' }
}

describe('a title', () => {
  test('is asked of the small model, with the beginning of message and answer and no tools', async () => {
    const { titles, requests } = titlesOf(() => saying('"Fix the', ' date parser"'))
    const named = Promise.withResolvers<string>()
    titles.ask('c', `Please fix it. ${'x'.repeat(5000)}`, 'Done.', named.resolve)
    expect(await named.promise).toBe('Fix the date parser')
    expect(requests).toMatchObject([
      { model: 'small', tools: [], messages: [{ content: expect.stringContaining('Please fix it.') }] },
    ])
    expect(requests[0]?.messages[0]?.content.length).toBeLessThan(2000)
  })

  test('is not asked for without a small model', async () => {
    const { titles, requests } = titlesOf(() => saying('x'), null)
    titles.ask('c', 'Fix it.', 'Done.', () => undefined)
    await titles.stop()
    expect(requests).toEqual([])
  })

  test.each<[string, () => AsyncGenerator<ModelEvent, void, void>]>([
    [
      'fails',
      async function* () {
        yield { kind: 'status', note: 'x' }
        throw new ModelError('unreachable', 'Down.', '')
      },
    ],
    ['writes on and on', () => saying(...Array.from({ length: 50 }, () => 'word '.repeat(100)))],
    ['answers with nothing', () => saying('')],
  ])('is left alone when the model %s', async (_name, answer) => {
    const ended = Promise.withResolvers<void>()
    const { titles } = titlesOf(async function* () {
      try {
        yield* answer()
      } finally {
        ended.resolve()
      }
    })
    const named: string[] = []
    titles.ask('c', 'Fix it.', 'Done.', (title) => void named.push(title))
    await ended.promise
    // What follows the end of the stream is done in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    expect(named).toEqual([])
  })

  test('is given up when it is not wanted any more', async () => {
    const { titles } = titlesOf(async function* ({ signal }) {
      yield { kind: 'status', note: 'Waiting…' }
      signal.throwIfAborted()
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
      )
    })
    const named: string[] = []
    titles.ask('c', 'Fix it.', 'Done.', (title) => void named.push(title))
    await titles.stop('c')
    expect(named).toEqual([])
  })
})

test.each([
  ['Fix the date parser', 'Fix the date parser'],
  ['**Title:** Fix it', 'Fix it'],
  ['Title: "Fix it now."\nBecause the user said so.', 'Fix it now'],
  ['# Fix it', 'Fix it'],
  ['Fix\u202e it', 'Fix it'],
  ['ok', undefined],
  ['x'.repeat(100), undefined],
])('%j becomes %j', (text, title) => {
  expect(cleanTitle(text)).toBe(title)
})
