import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { changedSpan } from '../../shared/editor/changedSpan.ts'
import { decodeMessage, encodeMessage, minBinaryTextLength } from '../../shared/bridge/messageFrames.ts'
import { requests, windowMessageSchema } from '../../shared/bridge/protocol.ts'
import { applyTextChanges } from '../../shared/editor/textChanges.ts'
import { fuzz } from '../testing/fuzz.ts'

const text = fc.string({
  unit: fc.constantFrom('a', 'b', '\n', '\r', 'ä', '🦊', '\ud800', '\udc00', '"', '\\', '\u2028', '\ufeff'),
  maxLength: 20,
})
/** A short text, or one that is sent as bytes. */
const anyText = fc
  .tuple(text, fc.integer({ min: 0, max: 500 }))
  .map(([part, chance]) => (chance === 0 ? part.padEnd(minBinaryTextLength, `${part}x`) : part))
const message = fc.record({
  kind: fc.constantFrom('request', 'response', 'event'),
  id: fc.nat(),
  holder: fc.constantFrom('params', 'result', 'payload'),
  value: fc.oneof(fc.record({ text: anyText, other: fc.jsonValue() }), fc.jsonValue()),
})

describe('a message', () => {
  fuzz('is decoded to the encoded value', [message], ({ kind, id, holder, value }) => {
    const sent = { kind, id, [holder]: value }
    expect(decodeMessage(encodeMessage(sent))).toEqual(JSON.parse(JSON.stringify(sent)))
  })

  fuzz(
    'of any bytes is refused with an error that the transport expects, or decoded',
    [fc.uint8Array({ maxLength: 60 }), fc.string()],
    (bytes, written) => {
      for (const frame of [bytes, written]) {
        try {
          windowMessageSchema.safeParse(decodeMessage(frame))
        } catch (error) {
          expect([SyntaxError, TypeError, RangeError].some((kind) => error instanceof kind)).toBe(true)
        }
      }
    },
  )

  fuzz(
    'with a binary header of any JSON is refused or has its text',
    [fc.jsonValue(), text.filter((each) => each.isWellFormed())],
    (header, body) => {
      const json = new TextEncoder().encode(JSON.stringify(header))
      const frame = new Uint8Array([
        ...new Uint8Array(new Uint32Array([json.length]).buffer),
        ...json,
        ...new TextEncoder().encode(body),
      ])
      try {
        const decoded = decodeMessage(frame)
        expect(JSON.stringify(decoded)).toContain(JSON.stringify(body))
      } catch (error) {
        expect(error instanceof TypeError).toBe(true)
      }
    },
  )
})

describe('parameters of a request', () => {
  const names = Object.keys(requests) as (keyof typeof requests)[]
  fuzz(
    'of any value are parsed or refused, and parse again to the same',
    [
      fc.constantFrom(...names),
      fc.oneof(
        fc.jsonValue(),
        fc.record({ path: fc.string(), id: fc.string(), text: fc.string() }, { requiredKeys: [] }),
      ),
    ],
    (name, value) => {
      const first = requests[name].params.safeParse(value)
      if (first.success)
        expect(requests[name].params.safeParse(first.data)).toEqual({ success: true, data: first.data })
    },
  )
})

describe('changes of a text', () => {
  fuzz('applied one by one turn the first text into the second', [text, text, text], (one, two, three) => {
    const change = (from: string, to: string) => {
      const { start, oldEnd, newEnd } = changedSpan(from, to)
      return { offset: start, length: oldEnd - start, text: to.slice(start, newEnd) }
    }
    expect(applyTextChanges(one, [change(one, two), change(two, three)])).toBe(three)
  })

  fuzz('out of range are refused as a whole', [text, fc.nat(40), fc.nat(40)], (before, offset, length) => {
    const after = applyTextChanges(before, [{ offset, length, text: '' }])
    expect(after).toBe(offset + length > before.length ? null : before.slice(0, offset) + before.slice(offset + length))
  })
})
