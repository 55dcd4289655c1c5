import { expect, test, vi } from 'vitest'
import { log } from '../../base/log/log.ts'
import { ModelError } from '../modelClient.ts'
import { createMeaningRanking, fusedOrder, type MeaningRankingDeps } from './meaningRanking.ts'
import { createVectorCache } from './vectorCache.ts'

const signal = new AbortController().signal
const choice = { endpointId: 'e', model: 'nomic-embed-text' }

/** The meaning of a text is its number of letters "a" and "b". */
const meaning = (text: string) =>
  Float32Array.of(text.match(/a/g)?.length ?? 0, text.match(/b/g)?.length ?? 0, Number(text.includes('c')))

function setUp(embed: MeaningRankingDeps['embed'], deadlineMs = 60_000) {
  const ranking = createMeaningRanking({ choice: () => choice, embed, deadlineMs })
  // Each passage has a score of one less than the one before.
  return (question: string, passages: string[], given = signal) =>
    ranking()?.(
      question,
      passages.map((text, at) => ({ text, score: -at })),
      given,
    ) ?? expect.unreachable()
}

test('is absent without a selected model', () => {
  const ranking = createMeaningRanking({ choice: () => null, embed: () => expect.unreachable() })
  expect(ranking()).toBeUndefined()
})

test('moves passages up whose meaning is close to the question', async () => {
  const rank = setUp((_choice, texts) => Promise.resolve(texts.map(meaning)))
  // The last passage is the closest. Its words are the worst, so it only passes those that are close to it.
  expect(await rank('bbb', ['aab', 'aaa', 'aaaa', 'bbbb'])).toEqual([0, 1, 3, 2])
})

test('sends what the model expects before questions and passages, and each text once', async () => {
  const sent: string[] = []
  const rank = setUp((_choice, texts) => {
    sent.push(...texts)
    return Promise.resolve(texts.map(meaning))
  })
  await rank('a', ['ab', 'ab', 'b'])
  await rank('b', ['ab', 'b', 'bb'])
  expect(sent).toEqual([
    'search_query: a',
    'search_document: ab',
    'search_document: b',
    'search_query: b',
    'search_document: bb',
  ])
})

test('keeps the order if the model fails, and logs it once', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  const failing = new ModelError('unreachable', 'Box refused the connection.', 'Start the server.')
  const rank = setUp(() => Promise.reject(failing))
  expect(await rank('a', ['a', 'b'])).toBeUndefined()
  expect(await rank('a', ['a', 'b'])).toBeUndefined()
  expect(warn.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^nomic-embed-text did not rank all passages by meaning.*Box refused the connection\. Start/,
      ),
    ],
  ])
})

test('keeps the order if the model is late, and has its vectors for the next question', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  const loaded = Promise.withResolvers<void>()
  const embed = vi.fn<MeaningRankingDeps['embed']>(async (_choice, texts) => {
    await loaded.promise
    return texts.map(meaning)
  })
  const rank = setUp(embed, 1)
  expect(await rank('b', ['aa', 'b'])).toBeUndefined()
  expect(warn).toHaveBeenCalledOnce()
  loaded.resolve()
  await expect.poll(() => rank('b', ['aa', 'b'])).toEqual([0, 1])
  expect(embed).toHaveBeenCalledOnce()
})

test('orders the best passages of the search if the model is late for the others', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  const never = new Promise<never>(() => {})
  // A batch has the question and seven passages.
  let batches = 0
  const rank = setUp((_choice, texts) => (batches++ === 0 ? Promise.resolve(texts.map(meaning)) : never), 1)
  const passages = ['aa', 'bb', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']
  expect(await rank('b', passages)).toEqual([1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(warn).not.toHaveBeenCalled()
})

test('orders the best passages of the search if the model fails for the others, and logs it', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  let batches = 0
  const failing = new ModelError('unreachable', 'Box refused the connection.', 'Start the server.')
  const rank = setUp((_choice, texts) =>
    batches++ === 0 ? Promise.resolve(texts.map(meaning)) : Promise.reject(failing),
  )
  const passages = ['aa', 'bb', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  expect(await rank('b', passages)).toEqual([1, 0, 2, 3, 4, 5, 6, 7, 8])
  expect(warn).toHaveBeenCalledOnce()
})

test('keeps the order if the call is cancelled, without a line in the log', async () => {
  const warn = vi.spyOn(log, 'warn').mockReturnValue()
  const stop = new AbortController()
  const rank = setUp(async (_choice, _texts, given) => {
    stop.abort()
    given.throwIfAborted()
    return []
  })
  expect(await rank('a', ['a'], stop.signal)).toBeUndefined()
  expect(warn).not.toHaveBeenCalled()
})

test('forgets its vectors if the server has another model of the same name', async () => {
  vi.spyOn(log, 'warn').mockReturnValue()
  let length = 2
  const rank = setUp((_choice, texts) => Promise.resolve(texts.map(() => new Float32Array(length).fill(1))))
  expect(await rank('a', ['b', 'c'])).toEqual([0, 1])
  length = 3
  expect(await rank('d', ['b', 'c'])).toBeUndefined()
  expect(await rank('d', ['b', 'c'])).toEqual([0, 1])
})

test('an order of vectors without a length is the present one', () => {
  const zero = new Float32Array(2)
  expect(fusedOrder([3, 2, 1], zero, [zero, zero, zero])).toEqual([0, 1, 2])
  expect(fusedOrder([1, 1, 1], zero, [zero, zero, zero])).toEqual([0, 1, 2])
  expect(fusedOrder([], zero, [])).toEqual([])
})

test('meaning decides between words that match about equally, and not against words that match far better', () => {
  const right = Float32Array.of(1, 0)
  const wrong = Float32Array.of(0, 1)
  expect(fusedOrder([10, 9, 1], right, [wrong, right, right])).toEqual([1, 0, 2])
  expect(fusedOrder([10, 4, 1], right, [wrong, right, right])).toEqual([0, 1, 2])
  expect(fusedOrder([5, 5, 5], right, [wrong, wrong, right])).toEqual([2, 0, 1])
})

test('the cache drops the vectors that were not used for the longest time', () => {
  const cache = createVectorCache(4)
  cache.set('m', 'a', Float32Array.of(1, 1))
  cache.set('m', 'b', Float32Array.of(2, 2))
  cache.get('m', 'a')
  cache.set('m', 'c', Float32Array.of(3, 3))
  expect(['a', 'b', 'c'].map((text) => cache.get('m', text)?.[0])).toEqual([1, undefined, 3])
  expect(cache.get('other', 'a')).toBeUndefined()
})
