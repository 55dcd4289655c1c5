import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCapacityMeasurement } from './capacityMeasurement.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const minutes = 20

/** A generator of numbers from 0 to 1 that a seed determines. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Lets conversations send requests to a server that answers `capacity` of them at the same time.
 * @param isLimited whether the measured capacity limits the requests
 * @returns the number of answers
 */
async function answers(seed: number, conversations: number, capacity: number, isLimited: boolean): Promise<number> {
  const next = random(seed)
  const measured = createCapacityMeasurement()
  let running = 0
  let served = 0
  let done = 0
  const queue: (() => void)[] = []
  const place = async (): Promise<void> => {
    if (served === capacity) await new Promise<void>((resolve) => queue.push(resolve))
    served += 1
  }
  const until = Date.now() + minutes * 60_000
  const converse = async (): Promise<void> => {
    while (Date.now() < until) {
      while (isLimited && running >= measured.capacity()) await sleep(100)
      running += 1
      const observed = measured.begin()
      await place()
      await sleep(2000 + next() * 8000)
      observed.answers()
      await sleep(500 + next() * 3500)
      served -= 1
      queue.shift()?.()
      observed.end()
      running -= 1
      done += 1
      await sleep(next() * 1000)
    }
  }
  const all = Promise.all(Array.from({ length: conversations }, converse))
  await vi.advanceTimersByTimeAsync((minutes + 2) * 60_000)
  await all
  return done
}

test.each([1, 2, 3, 4])(
  'a server that answers all requests at once is hardly limited, although its answers take long to begin (seed %s)',
  async (seed) => {
    for (const conversations of [2, 4, 8]) {
      const free = await answers(seed, conversations, 64, false)
      expect(await answers(seed, conversations, 64, true)).toBeGreaterThan(free * 0.75)
    }
  },
)

test.each([1, 2])(
  'a server that answers %s at once is found, and answers as much as without a limit',
  async (capacity) => {
    const free = await answers(1, 6, capacity, false)
    expect(await answers(1, 6, capacity, true)).toBeGreaterThan(free * 0.9)
  },
)
