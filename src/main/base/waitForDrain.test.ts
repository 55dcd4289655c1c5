import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { waitForDrain } from './waitForDrain.ts'

/** A stream that is full, and takes more when `take` is called. */
function slowStream(): { stream: Writable; take(): void } {
  const waiting: (() => void)[] = []
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void waiting.push(done) })
  return { stream, take: () => waiting.shift()?.() }
}

it('resolves when the stream takes more, and leaves no listener', async () => {
  const { stream, take } = slowStream()
  const before = ['close', 'error', 'drain'].map((name) => stream.listenerCount(name))
  for (let round = 0; round < 3; round += 1) {
    expect(stream.write('full')).toBe(false)
    const waiting = waitForDrain(stream)
    take()
    await waiting
  }
  expect(['close', 'error', 'drain'].map((name) => stream.listenerCount(name))).toEqual(before)
})

it('resolves when the stream is closed, and throws its error', async () => {
  const closed = slowStream()
  closed.stream.write('full')
  const waiting = waitForDrain(closed.stream)
  closed.stream.destroy()
  await waiting
  const failed = slowStream()
  failed.stream.write('full')
  const failing = waitForDrain(failed.stream)
  failed.stream.destroy(new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
})
