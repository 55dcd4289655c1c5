import { expect, it } from 'vitest'
import { truncateOutput } from './truncateOutput.ts'

const rule = { maxBytes: 3_000, readMoreHint: 'Read on with offset' }

it('leaves what fits alone', () => {
  expect(truncateOutput({ text: 'x'.repeat(3_000) }, rule)).toEqual({ text: 'x'.repeat(3_000), truncated: false })
})

it('keeps whole lines of the beginning and the end, and says what is missing', () => {
  const { text, truncated } = truncateOutput(
    { text: Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join('\n') },
    rule,
  )
  const lines = text.split('\n')
  expect(truncated).toBe(true)
  expect([lines[0], lines.at(-1)]).toEqual(['line 0', 'line 999'])
  expect(lines.filter((line) => !/^line \d+$/.test(line))).toEqual([
    expect.stringMatching(/^\[… [\d,]+ of 8,889 bytes are missing here\. Read on with offset\. …\]$/),
  ])
})

it('counts what was dropped before, and says what the result itself says', () => {
  const { text } = truncateOutput(
    { text: 'x\n'.repeat(3_000), missing: { lines: 10, bytes: 1_000 }, readMoreHint: 'Run it again' },
    rule,
  )
  expect(text).toMatch(/\[… 4,0\d\d of 7,000 bytes are missing here\. Run it again\. …\]/)
})

it('cuts no character in two', () => {
  for (const before of ['', 'x', 'xx', 'xxx']) {
    const { text } = truncateOutput({ text: before + '😀'.repeat(2_000) }, rule)
    expect(text).not.toContain('\ufffd')
    expect(Buffer.byteLength(text)).toBeLessThan(3_200)
  }
})

it('leaves JSON to be JSON', () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index))
  expect(() => JSON.parse(truncateOutput({ text, format: 'json' }, rule).text)).not.toThrow()
})
