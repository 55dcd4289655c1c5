import { describe, expect, it } from 'vitest'
import { decodeMessage, encodeMessage, minBinaryTextLength } from './messageFrames.ts'

const long = '\uFEFFline ⚔ "quoted" \\ \u0000\r\n'.repeat(minBinaryTextLength / 16)

describe('a message', () => {
  it.each([
    [
      'a response with a long text',
      { kind: 'response', id: 1, ok: true, result: { path: 'a', text: long, stamp: 's' } },
    ],
    [
      'a response with a long text of ASCII characters',
      { kind: 'response', id: 1, ok: true, result: { path: 'a', text: 'line\n'.repeat(minBinaryTextLength / 4) } },
    ],
    [
      'a request with a long text',
      { kind: 'request', id: 2, method: 'files.write', params: { text: long, force: true } },
    ],
  ])('arrives as it was sent: %s', (_what, message) => {
    const frame = encodeMessage(message)
    expect(frame).toBeInstanceOf(Uint8Array)
    expect(decodeMessage(frame)).toEqual(message)
  })

  it.each([
    ['without a text', { kind: 'response', id: 1, ok: true, result: null }],
    ['with a short text', { kind: 'response', id: 1, ok: true, result: { text: 'short' } }],
    [
      'with half of a surrogate pair in a long text',
      { kind: 'response', id: 1, ok: true, result: { text: `${long}\ud800` } },
    ],
    ['with a member named text that is not text', { kind: 'request', id: 1, params: { text: null } }],
  ])('%s is JSON', (_what, message) => {
    const frame = encodeMessage(message)
    expect(frame).toBeTypeOf('string')
    expect(decodeMessage(frame)).toEqual(message)
  })
})

describe('a binary frame that is not one of ours is refused', () => {
  const framed = (header: string, length = header.length) => {
    const bytes = new TextEncoder().encode(`\0\0\0\0${header}text`)
    new DataView(bytes.buffer).setUint32(0, length, true)
    return bytes
  }
  it.each([
    ['empty', new Uint8Array()],
    ['without JSON', framed('{')],
    ['a header that is null', framed('null')],
    ['another member', framed('{"message":{"__proto__":{}},"holder":"__proto__"}')],
    ['a member that is missing', framed('{"message":{},"holder":"result"}')],
    ['a header longer than the frame', framed('{"message":{"result":{}},"holder":"result"}', 4_000_000_000)],
  ])('%s', (_what, frame) => {
    expect(() => decodeMessage(frame)).toThrow()
  })
})
