import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { spoken } from '../../../e2e/scenarios/models/dialects.ts'
import { recordings } from '../../../e2e/scenarios/models/index.ts'
import { modelsDocs } from '../../../e2e/scenarios/models/modelsDocs.ts'
import type { Expected, Recording } from '../../../e2e/scenarios/models/recording.ts'
import { createAnswerReader } from './clients/answerReader.ts'
import { ModelError, type ModelCall, type ModelEvent } from './modelClient.ts'
import { createOllamaClient } from './clients/ollamaClient.ts'
import { createOpenAiClient } from './clients/openAiClient.ts'
import { chosenCases } from '../testing/longForm.ts'
import { chatRequest, serve, textOf } from './testing/modelServer.ts'

/** Splitting an answer once at each of its bytes takes a request for each. */
const shortBody = 600

const tools = ['read_file', 'write_file', 'list_dir'].map((name) => ({
  name,
  description: '',
  parameters: { type: 'object', ...(name === 'read_file' && { required: ['path'] }) },
}))

const splitOnce = new Set(
  chosenCases(
    recordings.filter(({ body }) => Buffer.byteLength(body) <= shortBody),
    8,
  ),
)

/** A server that sends the recording in chunks that end at these bytes. */
async function player({ body, protocol, contentType }: Recording) {
  const bytes = Buffer.from(body)
  let borders: number[] = []
  const { url } = await serve((_request, response) => {
    response.writeHead(200, {
      'content-type': contentType ?? (protocol === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'),
    })
    const send = async () => {
      let from = 0
      for (const border of [...borders, bytes.length]) {
        response.write(bytes.subarray(from, border))
        from = border
        await turn()
      }
      response.end()
    }
    void send()
  })
  const create = protocol === 'ollama' ? createOllamaClient : createOpenAiClient
  const client = create({ name: 'Test', baseUrl: url })
  return async (at: number[]): Promise<Expected> => {
    borders = at
    const events: ModelEvent[] = []
    let error: string | undefined
    try {
      for await (const event of client.stream(chatRequest({ tools }))) events.push(event)
    } catch (failure) {
      if (!(failure instanceof ModelError)) throw failure
      expect(failure.message, 'a failure has a message').not.toBe('')
      expect(failure.hint, 'and what can be done').not.toBe('')
      error = failure.code
    }
    return summary(events.slice(events.findLastIndex(({ kind }) => kind === 'discarded') + 1), error)
  }
}

function summary(events: ModelEvent[], error: string | undefined): Expected {
  const joined = (kind: 'text' | 'reasoning') => textOf(events, kind)
  const calls = events.flatMap((event) => (event.kind === 'call' ? [event.call] : []))
  expect(new Set(calls.map(({ id }) => id)).size, 'ids are there and unique').toBe(
    calls.filter(({ id }) => id !== '').length,
  )
  const finish = events.flatMap((event) => (event.kind === 'finish' ? [event.reason] : []))[0]
  return {
    ...(joined('text') && { text: joined('text') }),
    ...(joined('reasoning') && { reasoning: joined('reasoning') }),
    ...(calls.length > 0 && { calls: calls.map(parsed) }),
    ...(finish && { finish }),
    ...(error && { error }),
  }
}

function parsed({ id, name, arguments: text }: ModelCall): NonNullable<Expected['calls']>[number] {
  try {
    // Calls of the set have objects as arguments. Any other type would be reported as a difference.
    return { id, name, arguments: JSON.parse(text) as Record<string, unknown> }
  } catch {
    // Truncated arguments are compared as text.
    return { id, name, arguments: text }
  }
}

/** Ids in a recording must be preserved. Others are generated. */
function wanted({ calls, ...rest }: Expected): Expected {
  return {
    ...rest,
    ...(calls && { calls: calls.map((call) => ({ ...call, id: call.id ?? (expect.any(String) as string) })) }),
  }
}

describe.each(
  recordings.map((recording) => [`${recording.server}, ${recording.protocol}: ${recording.shape}`, recording] as const),
)('%s', (_name, recording) => {
  const length = Buffer.byteLength(recording.body)

  test('parses the same whole and byte by byte', async () => {
    const play = await player(recording)
    const expected = wanted(recording.expected)
    expect(await play([])).toEqual(expected)
    expect(await play(Array.from({ length }, (_, byte) => byte))).toEqual(expected)
  })

  // A run for each position takes long, so a long body is split only byte by byte.
  if (!splitOnce.has(recording)) return
  test('parses the same split once at every byte', async () => {
    const play = await player(recording)
    for (let at = 1; at < length; at++)
      expect(await play([at]), `split at byte ${at}`).toEqual(wanted(recording.expected))
  })
})

test.each(chosenCases(spoken, Math.ceil(spoken.length / 10)))(
  'the text of $dialect is read the same split at every byte',
  ({ text, expected }) => {
    const bytes = Buffer.from(text)
    const read = (parts: readonly Buffer[]) => {
      const decoder = new TextDecoder()
      const reader = createAnswerReader(chatRequest({ tools }), { name: 'Test', kind: 'openai', baseUrl: '' })
      const push = (part: string) => reader.push({ reasoning: '', text: part, calls: undefined })
      const events = parts.flatMap((part) => push(decoder.decode(part, { stream: true })))
      return summary([...events, ...reader.finish(false)], undefined)
    }
    for (let at = 0; at < bytes.length; at++)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)]), `split at byte ${at}`).toEqual(wanted(expected))
    expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(wanted(expected))
  },
)

test('docs/models.md is up to date with the recordings', async () => {
  expect(await readFile(join(import.meta.dirname, '../../../docs/models.md'), 'utf8')).toBe(modelsDocs(recordings))
})
