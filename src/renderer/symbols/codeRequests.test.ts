import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const asked: { params: unknown; give: (outline: unknown) => void }[] = []
let version = 1
vi.mock('../platform/bridge/bridge.ts', () => ({
  request: (_name: string, params: unknown) => new Promise((give) => asked.push({ params, give })),
}))
const buffers = new Map<string, { version: () => number }>()
function bufferOf(path: string) {
  const buffer = buffers.get(path) ?? { version: () => version }
  buffers.set(path, buffer)
  return buffer
}
vi.mock('../platform/editor/documents/windowDocuments.ts', () => ({
  documents: { flush: () => {}, buffer: bufferOf },
}))
const { outlineOf } = await import('./codeRequests.ts')

beforeEach(() => {
  asked.length = 0
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

it('an outline that has not changed is used again', async () => {
  const first = { path: 'b.ts', symbols: [], revision: 'r1' }
  version = 10
  const asking = outlineOf('b.ts')
  await vi.advanceTimersByTimeAsync(0)
  asked[0]?.give(first)
  expect(await asking).toBe(first)
  for (version of [11, 12]) {
    const again = outlineOf('b.ts')
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked.at(-1)?.params).toEqual({ path: 'b.ts', known: 'r1' })
    asked.at(-1)?.give(null)
    expect(await again).toBe(first)
  }
})
