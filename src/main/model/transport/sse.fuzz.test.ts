import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { chunksOf, cuts, fuzz, textOf } from '../../testing/fuzz.ts'
import { ndjsonLines, sseData } from './sse.ts'

const target = { name: 'Test', kind: 'openai', baseUrl: 'http://127.0.0.1' } as const
const stream = textOf(
  [
    'data: ',
    'data:',
    'data',
    'event: x',
    'id: 1',
    ': comment',
    'error: {"a":1}',
    'error:',
    'retry: 10',
    '\n',
    '\r\n',
    '\n\n',
    '\r\n\r\n',
    '{"x":1}',
    '[DONE]',
    '\ufeff',
    'ä',
    '🦊',
    '\0',
    '{',
    '\u2028',
  ],
  30,
)

async function collect(read: typeof sseData | typeof ndjsonLines, chunks: readonly Buffer[]): Promise<string[]> {
  async function* source() {
    yield* chunks
  }
  const found: string[] = []
  for await (const data of read(source(), target)) found.push(data)
  return found
}

describe.each([
  ['server-sent events', sseData],
  ['lines of JSON', ndjsonLines],
])('a stream of %s', (_, read) => {
  fuzz('is parsed the same in any chunks', [stream, cuts], async (text, places) => {
    const bytes = Buffer.from(text)
    const whole = await collect(read, [bytes])
    expect(await collect(read, chunksOf<Buffer>(bytes, places))).toEqual(whole)
    expect(
      await collect(
        read,
        [...bytes].map((byte) => Buffer.from([byte])),
      ),
    ).toEqual(whole)
  })

  fuzz('of any bytes is parsed without an error', [fc.uint8Array({ maxLength: 200 }), cuts], async (bytes, places) => {
    const all = Buffer.from(bytes)
    expect(await collect(read, chunksOf<Buffer>(all, places))).toEqual(await collect(read, [all]))
  })
})

describe('data that a server sends', () => {
  const data = fc.array(
    fc.string({ unit: 'binary' }).map((text) =>
      text
        .replaceAll(/[\r\n\0]/g, '')
        .toWellFormed()
        .replace(/^ /, ''),
    ),
    { maxLength: 6 },
  )

  fuzz(
    'sent as events is parsed to the same data',
    [data, fc.constantFrom('\n', '\r\n'), cuts],
    async (sent, end, places) => {
      const text = sent.map((each) => `: ping${end}event: x${end}data: ${each}${end}${end}`).join('')
      expect(await collect(sseData, chunksOf<Buffer>(Buffer.from(text), places))).toEqual(sent)
    },
  )

  fuzz(
    'sent as lines of JSON is parsed to the same values',
    [fc.array(fc.jsonValue(), { maxLength: 6 }), cuts],
    async (sent, places) => {
      const text = sent.map((value) => `${JSON.stringify(value)}\n`).join('')
      const lines = await collect(ndjsonLines, chunksOf<Buffer>(Buffer.from(text), places))
      expect(lines.map((each) => JSON.parse(each) as unknown)).toEqual(JSON.parse(JSON.stringify(sent)))
    },
  )
})
