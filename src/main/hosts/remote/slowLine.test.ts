import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duplexPair, type Duplex } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Core } from '../../core.ts'
import { encodePayload, frameParts, readFrames, type Frame } from './frames.ts'
import { createRemoteConnection } from './remoteConnection.ts'
import { startRemoteServer } from './remoteServer.ts'
import { openScriptedHost } from './testing/scriptedHost.ts'

// Messages that need longer on the line than it may be silent.

const never = new AbortController().signal
const hello = { window: 'a'.repeat(32), position: { received: 0, first: 1 } }

/** Answers a hello on the host's end of a line. */
function welcome(stream: Duplex, state: 'new' | 'known'): void {
  const answer = { state, position: { received: 0, first: 1 }, working: false }
  for (const part of frameParts('welcome', 0, Buffer.from(JSON.stringify(answer)))) stream.write(part)
}

/** A connection to a host that the test plays. @param play called with the host's end of each line */
function connection(play: (stream: Duplex, line: number, near: Duplex) => void) {
  const delivered: unknown[] = []
  const lines: number[] = []
  const made = createRemoteConnection({
    reach: async () => {
      const [near, far] = duplexPair()
      far.on('error', () => undefined)
      lines.push(performance.now())
      const line = lines.length
      readFrames(far, ({ kind }: Frame) => kind === 'hello' && play(far, line, near))
      return near
    },
    deliver: (message) => delivered.push(message),
    onState: () => undefined,
    onGap: () => undefined,
    onWorking: () => undefined,
  })
  return { ...made, delivered, lines }
}

afterEach(() => vi.useRealTimers())

describe('a slow line', () => {
  it('delivers a message that needs a minute, without connecting again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
    const text = 'x'.repeat(60 * 1024)
    const { kind, payload } = encodePayload({ text })
    const { open, delivered, lines, close } = connection((stream) => {
      welcome(stream, 'new')
      const bytes = Buffer.concat(frameParts(kind, 1, payload))
      let at = 0
      const timer = setInterval(() => {
        stream.write(bytes.subarray(at, (at += 1024)))
        if (at > bytes.length) clearInterval(timer)
      }, 1000)
    })
    await open(never)
    await vi.advanceTimersByTimeAsync(65_000)
    expect(lines).toHaveLength(1)
    expect(delivered).toEqual([{ text }])
    const closing = close(10)
    await vi.advanceTimersByTimeAsync(10)
    await closing
  })

  it('pauses before it connects again if connections end at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
    const { open, lines, close } = connection((stream, line, near) => {
      welcome(stream, line === 1 ? 'new' : 'known')
      setTimeout(() => near.destroy(), 10)
    })
    await open(never)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.length).toBeLessThan(12)
    const closing = close(10)
    await vi.advanceTimersByTimeAsync(10)
    await closing
  })

  it('hears from the server while it sends a long message', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tizona-slow-'))
    const core = { attach: () => () => undefined, subscribe: () => () => undefined, isWorking: () => false }
    const server = await startRemoteServer({
      address: join(folder, 's.sock'),
      createCore: () => Promise.resolve({ ...core, dispose: () => Promise.resolve() } as unknown as Core),
    })
    const socket = connect(join(folder, 's.sock'))
    try {
      const frames: Frame['kind'][] = []
      readFrames(socket, (frame) => {
        frames.push(frame.kind)
        socket.emit(`frame ${frame.kind}`)
      })
      const welcomed = once(socket, 'frame welcome')
      for (const part of frameParts('hello', 0, Buffer.from(JSON.stringify(hello)))) socket.write(part)
      await welcomed
      const [header] = frameParts('text', 1, new Uint8Array(1000))
      const heard = once(socket, 'frame pong')
      if (header) socket.write(header)
      await heard
      expect(frames).toEqual(['welcome', 'pong'])
    } finally {
      socket.destroy()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

it('connects again at once if the user wants it while an attempt hangs', async () => {
  const signals: AbortSignal[] = []
  const ends: Duplex[] = []
  const made = createRemoteConnection({
    reach(signal) {
      signals.push(signal)
      if (signals.length === 2)
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      const [near, far] = duplexPair()
      ends.push(near)
      readFrames(far, ({ kind }) => kind === 'hello' && welcome(far, signals.length === 1 ? 'new' : 'known'))
      return Promise.resolve(near)
    },
    deliver: () => undefined,
    onState: () => undefined,
    onGap: () => undefined,
    onWorking: () => undefined,
  })
  await made.open(never)
  ends[0]?.destroy()
  await vi.waitFor(() => expect(signals).toHaveLength(2))
  made.retry()
  await vi.waitFor(() => expect(made.isConnected()).toBe(true))
  expect(signals).toHaveLength(3)
  await made.close(10)
})

it('ends an attempt that makes no progress, and begins another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
  let attempts = 0
  const { core, events, cut } = await openScriptedHost({
    reach: (_environment, signal) => {
      attempts += 1
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  cut()
  await vi.advanceTimersByTimeAsync(85_000)
  expect(attempts).toBe(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(attempts).toBe(2)
  expect(events.at(-1)).toMatchObject({ payload: { problem: 'SSH: box did not answer.' } })
  await core.dispose()
})
