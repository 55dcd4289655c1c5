import { expect, it, vi } from 'vitest'
import { latePart } from './latePart.ts'

it('a part loads and starts once, and starts again after it was stopped', async () => {
  const [load, start, stop] = [vi.fn(async () => 'part'), vi.fn(), vi.fn()]
  start.mockReturnValue(stop)
  const part = latePart(load, start)
  expect(await Promise.all([part.load(), part.load()])).toEqual(['part', 'part'])
  expect(start.mock.calls).toEqual([['part']])
  part.stop()
  part.stop()
  expect(stop).toHaveBeenCalledTimes(1)
  await part.load()
  expect(start).toHaveBeenCalledTimes(2)
})

it('a part that is stopped while it loads does not start', async () => {
  const loaded = Promise.withResolvers<string>()
  const start = vi.fn(() => () => undefined)
  const part = latePart(() => loaded.promise, start)
  const first = part.load()
  part.stop()
  loaded.resolve('part')
  await first
  expect(start).not.toHaveBeenCalled()
})

it('a part that failed to load loads again', async () => {
  const load = vi.fn(async () => 'part').mockRejectedValueOnce(new Error('offline'))
  const part = latePart(load, () => () => undefined)
  await expect(part.load()).rejects.toThrow('offline')
  expect(await part.load()).toBe('part')
})
