import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const asked: { give: (outline: unknown) => void }[] = []
let version = 1
vi.mock('../platform/bridge/bridge.ts', () => ({ request: () => new Promise((give) => asked.push({ give })) }))
const buffer = { version: () => version }
vi.mock('../platform/editor/documents/windowDocuments.ts', () => ({
  documents: { flush: () => {}, buffer: () => buffer },
}))
const { outlineOf } = await import('./codeRequests.ts')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('a slow outline is requested again after a delay, once for all callers', async () => {
  const first = outlineOf('a.ts')
  expect(outlineOf('a.ts')).toBe(first)
  await vi.advanceTimersByTimeAsync(100)
  expect(asked).toHaveLength(1)
  asked[0]?.give('first')
  expect(await first).toBe('first')

  version = 2
  const second = outlineOf('a.ts')
  await vi.advanceTimersByTimeAsync(399)
  expect(asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(2)
  expect(asked).toHaveLength(2)
  asked[1]?.give('second')
  expect(await second).toBe('second')

  // The delay before the next request is limited, however long an answer took.
  version = 3
  const third = outlineOf('a.ts')
  await vi.advanceTimersByTimeAsync(60_000)
  asked[2]?.give('third')
  expect(await third).toBe('third')
  version = 4
  void outlineOf('a.ts')
  await vi.advanceTimersByTimeAsync(2000)
  expect(asked).toHaveLength(4)
})
