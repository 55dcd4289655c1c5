import { expect, it } from 'vitest'
import { truncateOutput } from './truncateOutput.ts'

const rule = { maxBytes: 3_000, readMoreHint: 'Read on with offset' }

it('does not change a text that fits', () => {
  expect(truncateOutput({ text: 'x'.repeat(3_000) }, rule)).toEqual({ text: 'x'.repeat(3_000), truncated: false })
})

it('keeps complete lines of the beginning and end, and states what is omitted', () => {
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

it('counts text that was dropped earlier, and uses the hint of the result', () => {
  const { text } = truncateOutput(
    { text: 'x\n'.repeat(3_000), missing: { lines: 10, bytes: 1_000 }, readMoreHint: 'Run it again' },
    rule,
  )
  expect(text).toMatch(/\[… 4,0\d\d of 7,000 bytes are missing here\. Run it again\. …\]/)
})

it('does not split a character', () => {
  for (const before of ['', 'x', 'xx', 'xxx']) {
    const { text } = truncateOutput({ text: before + '😀'.repeat(2_000) }, rule)
    expect(text).not.toContain('\ufffd')
    expect(Buffer.byteLength(text)).toBeLessThan(3_200)
  }
})

it('keeps JSON valid', () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index))
  expect(() => JSON.parse(truncateOutput({ text, format: 'json' }, rule).text)).not.toThrow()
})
