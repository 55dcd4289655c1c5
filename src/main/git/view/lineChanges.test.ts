import { describe, expect, it } from 'vitest'
import { makePatch, replaceLines } from './lineChanges.ts'

const replace = (content: string, other: string, ...changes: Parameters<typeof replaceLines>[2]) =>
  replaceLines(Buffer.from(content, 'latin1'), Buffer.from(other, 'latin1'), changes).toString('latin1')
const at = (line: number, ...text: string[]) => ({ line, text })

describe('replacing lines', () => {
  it('takes single lines of several changes, and keeps the line endings of each version', () => {
    const index = 'a\nb\nc\nd\n'
    const working = 'a\r\nB\r\nc\r\nnew\r\nd\r\n'
    expect(replace(index, working, { from: at(4), to: at(4, 'new') })).toBe('a\nb\nc\nnew\r\nd\n')
    expect(replace(index, working, { from: at(4), to: at(4, 'new') }, { from: at(2, 'b'), to: at(2) })).toBe(
      'a\nc\nnew\r\nd\n',
    )
  })

  it('adds and removes the line break at the end', () => {
    expect(replace('a\nb', 'a\nb\n', { from: at(3), to: at(3, '') })).toBe('a\nb\n')
    expect(replace('a\nb\n', 'a\nb', { from: at(3, ''), to: at(3) })).toBe('a\nb')
    expect(replace('a\nb', 'a\nx\nb', { from: at(2), to: at(2, 'x') })).toBe('a\nx\nb')
    expect(replace('a\nb', 'a\nb\nc', { from: at(3), to: at(3, 'c') })).toBe('a\nb\nc')
    expect(replace('a\r\nb', 'a\r\nb\r\nc', { from: at(3), to: at(3, 'c') })).toBe('a\r\nb\r\nc')
  })

  it('keeps bytes that are not UTF-8 and a byte order mark', () => {
    expect(replace('\xef\xbb\xbfa\n\xe9\n', '\xef\xbb\xbfx\n\xe9\n', { from: at(1, 'a'), to: at(1, 'x') })).toBe(
      '\xef\xbb\xbfx\n\xe9\n',
    )
  })

  it.each([
    ['another line', { from: at(2, 'x'), to: at(2, 'b') }],
    ['a line after the end', { from: at(9, 'b'), to: at(2, 'b') }],
    ['other new lines', { from: at(2, 'b'), to: at(1, 'z') }],
  ])('is refused for %s, because the file has changed', (_, change) => {
    expect(() => replace('a\nb\n', 'a\nb\n', change)).toThrow('has changed since')
  })
})

it('a patch names any file and says where a line break is missing', () => {
  const patch = makePatch({ path: 'a "b"\n\udce9', before: Buffer.from('a\n'), after: Buffer.from('a\nb') })
  expect(patch?.toString('latin1')).toBe(
    [
      'diff --git "a/a \\042b\\042\\012\\351" "b/a \\042b\\042\\012\\351"',
      '--- "a/a \\042b\\042\\012\\351"',
      '+++ "b/a \\042b\\042\\012\\351"',
      '@@ -1,1 +1,2 @@',
      ' a',
      '+b',
      '\\ No newline at end of file',
      '',
    ].join('\n'),
  )
  expect(makePatch({ path: 'a', before: Buffer.from('a'), after: Buffer.from('a') })).toBeUndefined()
})

it('changes a line of a file with more lines than a call has arguments', () => {
  const text = (first: string) => Buffer.from(`${first}\n${'x\n'.repeat(300_000)}`, 'latin1')
  const change = { from: { line: 1, text: ['a'] }, to: { line: 1, text: ['b'] } }
  expect(replaceLines(text('a'), text('b'), [change]).equals(text('b'))).toBe(true)
})
