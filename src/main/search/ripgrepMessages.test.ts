import { describe, expect, test } from 'vitest'
import { MatchCollector } from './matchCollector.ts'
import { MessageReader } from './ripgrepMessages.ts'

function collector(): MatchCollector {
  return new MatchCollector({ maxResults: 10, maxCount: 100, context: 0, maxText: 40, accepts: () => true })
}

function match(text: string, line: number, start: number): string {
  return `${JSON.stringify({ type: 'match', data: { path: { text: './a "q".js' }, lines: { text }, line_number: line, absolute_offset: 0, submatches: [{ match: { text: 'x' }, start, end: start + 1 }] } })}\n`
}

describe("ripgrep's messages", () => {
  test('may be split at any byte', () => {
    const bytes = Buffer.from(match('é one\n', 1, 3) + match('two\n', 2, 0))
    for (let cut = 1; cut < bytes.length; cut++) {
      const sink = collector()
      const reader = new MessageReader(sink)
      reader.push(bytes.subarray(0, cut))
      reader.push(bytes.subarray(cut))
      expect(sink.matches).toMatchObject([
        { path: 'a "q".js', line: 1, column: 3, text: 'é one' },
        { line: 2, text: 'two' },
      ])
    }
  })

  test.each([7, 64, 1000])('that are too long to keep still provide path and line, in chunks of %i bytes', (size) => {
    // The text contains its own end marker, escaped as in any JSON string.
    const bytes = Buffer.from(
      match(`begin"},"line_number":99 ${'\\n"é'.repeat(2000)}\n`, 42, 3000) + match('short\n', 43, 0),
    )
    const sink = collector()
    const reader = new MessageReader(sink, { maxLine: 2000, head: 400 })
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
    expect(sink.matches).toMatchObject([
      { path: 'a "q".js', line: 42, text: expect.stringMatching(/^begin"},"line_number":99 .*truncated/) },
      { line: 43, text: 'short' },
    ])
    expect(sink.total).toBe(2)
  })

  test('with a short text and many positions are parsed completely', () => {
    const message = match('one x two\n', 7, 4).replace(
      '"submatches":[',
      `"submatches":[{"match":{"text":"x"},"start":4,"end":5},${'{"match":{"text":"x"},"start":4,"end":5},'.repeat(200)}`,
    )
    const sink = collector()
    new MessageReader(sink, { maxLine: 2000, head: 400 }).push(Buffer.from(message))
    expect(sink.matches).toEqual([{ path: 'a "q".js', line: 7, column: 5, text: 'one x two' }])
  })

  test('are not read after counting has stopped', () => {
    const sink = new MatchCollector({ maxResults: 1, maxCount: 2, context: 0, maxText: 40, accepts: () => true })
    expect(new MessageReader(sink).push(Buffer.from(match('a', 1, 0).repeat(3)))).toBe(false)
    expect(sink).toMatchObject({ total: 2, stopped: true, matches: [{ line: 1 }] })
  })
})
