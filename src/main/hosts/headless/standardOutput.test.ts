import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createOutput } from './standardOutput.ts'

let writes: string[]
const stream = () =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.length > 0) writes.push(chunk.toString('utf8'))
      done()
    },
  })

beforeEach(() => {
  writes = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('lines of a few milliseconds are written together', () => {
  const output = createOutput(stream())
  output.json({ event: 'one' })
  vi.advanceTimersByTime(2)
  output.line('two')
  expect(writes).toEqual([])
  vi.advanceTimersByTime(10)
  expect(writes).toEqual(['{"event":"one"}\ntwo\n'])
  output.line('three')
  vi.advanceTimersByTime(10)
  expect(writes).toEqual(['{"event":"one"}\ntwo\n', 'three\n'])
})

it('a flush writes at once and once', async () => {
  const output = createOutput(stream())
  output.line('one')
  await output.flush()
  expect(writes).toEqual(['one\n'])
  vi.advanceTimersByTime(10)
  expect(writes).toEqual(['one\n'])
})
