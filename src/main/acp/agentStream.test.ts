import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { PassThrough } from 'node:stream'
import type { AnyMessage } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import { createServerLog } from '../base/serverLog.ts'
import { createAgentStream } from './agentStream.ts'

/** Pipes to an agent that reads nothing until the test does. */
function pipes() {
  const stdout = new PassThrough()
  const stdin = new PassThrough({ highWaterMark: 1 })
  const floods: string[] = []
  // The stream uses nothing else of the process.
  const child = { stdout, stdin } as unknown as ChildProcessWithoutNullStreams
  const { stream } = createAgentStream(child, createServerLog(), (message) => floods.push(message))
  const received: AnyMessage[] = []
  void stream.readable.pipeTo(
    new WritableStream({
      write: (message: AnyMessage) => void received.push(message),
    }),
  )
  const writer = stream.writable.getWriter()
  const requestOf = (method: string, ...ids: number[]) =>
    stdout.write(ids.map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`).join(''))
  return {
    floods,
    received,
    stdin,
    request: (...ids: number[]) => requestOf('terminal/output', ...ids),
    requestOf,
    notify: () => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/update' })}\n`),
    answer: (id: number) => writer.write({ jsonrpc: '2.0', id, result: {} }),
  }
}

it('requests with large answers wait until the agent has read earlier answers', async () => {
  const { received, request, notify, answer, stdin } = pipes()
  request(1, 2, 3, 4, 5, 6)
  notify()
  const ids = () => received.map((message) => ('id' in message ? message.id : undefined))
  await expect.poll(ids).toEqual([1, 2, 3, 4, undefined])
  const written = answer(2)
  await expect.poll(() => stdin.readableLength).toBeGreaterThan(0)
  expect(ids()).toEqual([1, 2, 3, 4, undefined])
  stdin.resume()
  await written
  await expect.poll(ids).toEqual([1, 2, 3, 4, undefined, 5])
})

it('of requests that may wait for the user, only some are shown at the same time', async () => {
  const { received, requestOf, answer, stdin } = pipes()
  stdin.resume()
  requestOf('session/request_permission', ...Array.from({ length: 20 }, (_, id) => id))
  requestOf('terminal/output', 50)
  const ids = () => received.map((message) => ('id' in message ? message.id : undefined))
  await expect.poll(ids).toEqual([...Array.from({ length: 16 }, (_, id) => id), 50])
  await answer(3)
  await expect.poll(() => ids().at(-1)).toBe(16)
})

it('an agent that never reads its answers is reported once', async () => {
  const { floods, received, request } = pipes()
  request(...Array.from({ length: 20_000 }, (_, id) => id))
  await expect.poll(() => floods).toEqual(['It made more than 10,000 requests without waiting for responses.'])
  expect(received.length).toBe(4)
})
