import { describe, expect, test } from 'vitest'
import { truncateBlade } from './bladeTruncation.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'

const bytes = (text: string) => Buffer.byteLength(text)
const lines = (count: number, width = 4) =>
  Array.from({ length: count }, (_, index) => `${index + 1}`.padEnd(width, '.'))

describe('a text result', () => {
  test('of 2,000 lines or 51,200 bytes is complete', () => {
    const long = lines(2_000).join('\n')
    expect(truncateBlade({ text: long })).toEqual({ text: long, truncated: false })
    expect(truncateBlade({ text: `${long}\n` })).toEqual({ text: `${long}\n`, truncated: false })
    const wide = 'é'.repeat(25_600)
    expect(truncateBlade({ text: wide })).toEqual({ text: wide, truncated: false })
  })

  test('of more lines keeps the first 100 and the last 50, and states what is omitted and how to read it', () => {
    const all = lines(2_001)
    const { text, truncated } = truncateBlade({ text: all.join('\n') })
    expect(truncated).toBe(true)
    const shown = text.split('\n')
    expect(shown).toHaveLength(151)
    expect(shown.slice(0, 100)).toEqual(all.slice(0, 100))
    expect(shown.slice(101)).toEqual(all.slice(-50))
    expect(shown[100]).toMatch(
      /^\[… 1,851 of 2,001 lines, 9,\d{3} bytes are missing here\. .*read_file_range.*narrower search/,
    )
  })

  test('that ends with a line break counts its lines and keeps the last 50', () => {
    const all = lines(6_000)
    const { text } = truncateBlade({ text: `${all.join('\n')}\n` })
    expect(text).toMatch(/^\[… 5,850 of 6,000 lines, /m)
    expect(text.endsWith(`\n${all.slice(-50).join('\n')}\n`)).toBe(true)
    const wide = lines(6_000, 2_000)
    const short = truncateBlade({ text: `${wide.join('\n')}\n` })
    expect(short.text).toMatch(/5,850 of 6,000 lines/)
    expect(short.text.endsWith(`${wide.at(-1)}\n`)).toBe(true)
  })

  test("counts text that was dropped earlier, and includes the tool's own hint", () => {
    const text = [...lines(3_000), '[900 characters omitted]', ...lines(3_000)].join('\n')
    const short = truncateBlade({ text, missing: { lines: 94_000, bytes: 1_000_000 }, readMoreHint: 'Use tail' }).text
    expect(short).toMatch(/^\[… 99,850 of 100,000 lines, 1,0\d\d,\d{3} bytes are missing here\. Use tail\. …\]$/m)
    expect(short).not.toContain('read_file_range')
    expect(
      truncateBlade({ text: JSON.stringify(['x'.repeat(60_000)]), format: 'json', readMoreHint: 'Use tail' }).text,
    ).toContain('Use tail')
  })

  test('of more bytes in few lines is truncated too', () => {
    const { text, truncated } = truncateBlade({ text: lines(150, 1_000).join('\n') })
    expect(truncated).toBe(true)
    expect(bytes(text)).toBeLessThanOrEqual(51_200)
    expect(text).toMatch(/^1\.\.\./)
    expect(text).toMatch(/bytes are missing here/)
  })

  test('whose first 100 and last 50 lines are too long is truncated further', () => {
    const { text } = truncateBlade({ text: lines(5_000, 2_000).join('\n') })
    expect(bytes(text)).toBeLessThanOrEqual(51_200)
    expect(text).toMatch(/4,850 of 5,000 lines/)
  })

  test.each([
    ['ASCII', 'x'.repeat(1_000_000)],
    ['two bytes', 'é'.repeat(60_000)],
    ['emoji', '😀'.repeat(30_000)],
    ['emoji after one letter', `a${'😀'.repeat(30_000)}b`],
    ['emoji after two letters', `ab${'😀'.repeat(30_000)}cd`],
  ])('of one huge line stays under the cap without splitting a character: %s', (_, text) => {
    const short = truncateBlade({ text })
    expect(short.truncated).toBe(true)
    expect(bytes(short.text)).toBeLessThanOrEqual(51_200)
    expect(bytes(short.text)).toBeGreaterThan(50_000)
    expect(short.text.isWellFormed()).toBe(true)
    expect(short.text).not.toContain('\ufffd')
    const [start, notice, end] = short.text.split('\n')
    expect(text.startsWith(start ?? '?')).toBe(true)
    expect(text.endsWith(end ?? '?')).toBe(true)
    expect(notice).toContain(`${formatNumber(bytes(text) - bytes(start ?? '') - bytes(end ?? ''))} bytes are missing`)
  })
})

describe('a JSON result', () => {
  const shorten = (value: unknown, indent?: number): unknown => {
    const { text, truncated } = truncateBlade({ text: JSON.stringify(value, null, indent), format: 'json' })
    expect(truncated).toBe(true)
    expect(bytes(text)).toBeLessThanOrEqual(51_200)
    expect(text.split('\n').length).toBeLessThanOrEqual(2_000)
    return JSON.parse(text)
  }

  test('truncates its strings, keeps its other fields and has a note', () => {
    expect(shorten({ path: 'a.ts', content: `begin ${'x'.repeat(100_000)} end`, line: 3 })).toEqual({
      path: 'a.ts',
      content: expect.stringMatching(/^begin x+\[… [\d,]+ characters are missing …\]x+ end$/),
      line: 3,
      _truncated: expect.stringContaining('Truncated from 100,0'),
    })
  })

  test('keeps all items of a list if truncating strings is enough', () => {
    const value = {
      files: Array.from({ length: 40 }, (_, index) => ({ path: `f${index}`, content: 'y'.repeat(10_000) })),
    }
    expect(shorten(value)).toMatchObject({ files: { length: 40, 39: { path: 'f39' } } })
  })

  test('truncates its lists, with an element that states how many items are omitted', () => {
    expect(shorten(Array.from({ length: 9_000 }, (_, index) => ({ index, text: 'some text' })))).toMatchObject({
      length: 1_002,
      0: { index: 0 },
      1_000: '[… 8,000 more of 9,000 …]',
    })
  })

  test('of too many lines is made compact before any content is dropped', () => {
    const value = { numbers: Array.from({ length: 990 }, (_, index) => [index, index]) }
    expect(shorten(value, 2)).toMatchObject(value)
  })

  test.each<[string, unknown]>([
    ['many fields', Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field ${index}`, index]))],
    [
      'wide and deep',
      Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => 'text text'))),
    ],
    ['one string', 'z'.repeat(200_000)],
    ['a huge property name', { ['n'.repeat(80_000)]: 1 }],
    ['emoji', { text: '😀'.repeat(50_000) }],
    ['escapes', { text: '\u0001"\\\n'.repeat(50_000) }],
  ])('always parses and stays under the cap: %s', (_, value) => {
    expect(JSON.stringify(shorten(value)).isWellFormed()).toBe(true)
  })

  test('with extreme nesting remains valid JSON', () => {
    const { text } = truncateBlade({ text: `${'['.repeat(40_000)}${']'.repeat(40_000)}`, format: 'json' })
    expect(JSON.stringify(JSON.parse(text))).toContain('omitted')
  })

  test('that is not valid JSON is truncated as text', () => {
    expect(truncateBlade({ text: `{ ${'x'.repeat(60_000)}`, format: 'json' }).text).toContain('bytes are missing here')
  })
})

test('truncated JSON states its total size, including text that was dropped earlier', () => {
  const text = JSON.stringify({ results: ['x'.repeat(60_000)] })
  const { text: short } = truncateBlade({ text, format: 'json', missing: { lines: 0, bytes: 1_000_000 } })
  expect(short).toContain(`Truncated from ${formatNumber(Buffer.byteLength(text) + 1_000_000)} bytes`)
})
