import { describe, expect, test, vi } from 'vitest'
import { log } from '../../base/log/log.ts'
import { chatRequest, collect, delta, modelError, serve, textOf } from '../testing/modelServer.ts'
import { createCompatStore } from './compatStore.ts'
import { createOpenAiClient } from './openAiClient.ts'

type Wait = 'headers' | 'pings' | 'loading'

/** A server that never begins a request with a slot, like llama-server if it has no such slot. */
async function serverWithoutSlot(wait: Wait, answersOthers = true) {
  const slots: unknown[] = []
  const { url } = await serve((_request, response, body) => {
    // The client sends objects.
    const { id_slot: slot } = JSON.parse(body) as Record<string, unknown>
    slots.push(slot)
    if (wait === 'loading' && slots.length === 1)
      return response.writeHead(503).end(JSON.stringify({ error: { message: 'Loading model' } }))
    if (slot !== undefined || !answersOthers) {
      if (wait === 'headers') return undefined
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.write(': ping\n\n')
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
  })
  return { url, slots }
}

describe('a request with a slot that the server never begins', () => {
  test.each<Wait>(['headers', 'pings', 'loading'])('is sent again without it, once for all (%s)', async (wait) => {
    const { url, slots } = await serverWithoutSlot(wait)
    const compatStore = createCompatStore()
    const warn = vi.spyOn(log, 'warn').mockImplementation(() => undefined)
    const notes: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const timeouts = { slotMs: 500, retryMs: 1 }
      const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', compatStore, timeouts })
      const events = await collect(client, chatRequest({ slot: 3 }))
      expect(textOf(events)).toBe('Hi')
      notes.push(...events.flatMap((event) => (event.kind === 'status' ? [event.note] : [])))
    }
    expect(slots.slice(-3)).toEqual([3, undefined, undefined])
    expect(notes.filter((note) => note.startsWith('Sending the request again without a slot…'))).toHaveLength(1)
    expect(warn).toHaveBeenCalledOnce()
    warn.mockRestore()
  })

  test('keeps its slot for later requests if the server does not answer without it either', async () => {
    const { url, slots } = await serverWithoutSlot('headers', false)
    const compatStore = createCompatStore()
    for (let round = 0; round < 2; round += 1) {
      const timeouts = { slotMs: 300, headersMs: 600 }
      const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', compatStore, timeouts })
      expect((await modelError(collect(client, chatRequest({ slot: 3 })))).code).toBe('timeout')
    }
    expect(slots).toEqual([3, undefined, 3, undefined])
  })

  test('ends when it is cancelled, without another request', async () => {
    const { url, slots } = await serverWithoutSlot('headers')
    const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', timeouts: { slotMs: 60_000 } })
    const cancelled = new AbortController()
    const answer = collect(client, chatRequest({ slot: 3, signal: cancelled.signal }))
    await vi.waitUntil(() => slots.length === 1)
    cancelled.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    expect(slots).toEqual([3])
  })
})

test('a request with a slot whose prompt the server reads is not sent again', async () => {
  const slots: unknown[] = []
  const { url } = await serve((_request, response, body) => {
    slots.push((JSON.parse(body) as Record<string, unknown>)['id_slot'])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const progress = { choices: [], prompt_progress: { total: 10, cache: 0, processed: 0, time_ms: 0 } }
    response.write(`data: ${JSON.stringify(progress)}\n\n`)
    setTimeout(() => response.end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`), 600)
  })
  const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', timeouts: { slotMs: 300 } })
  expect(textOf(await collect(client, chatRequest({ slot: 3 })))).toBe('Hi')
  expect(slots).toEqual([3])
})
