import { describe, expect, it } from 'vitest'
import { createTruncatedOutput } from './truncatedOutput.ts'
import { createPlainText } from './plainText.ts'

function plain(...chunks: string[]): string {
  const text = createPlainText(1_000_000)
  for (const chunk of chunks) text.write(chunk)
  return text.all()
}

describe('plain text of terminal output', () => {
  it.each<[string, string, string]>([
    ['plain lines', 'a\r\nb\r\n', 'a\nb\n'],
    ['empty lines', 'a\r\n\r\n\r\nb', 'a\n\n\nb'],
    ['tabs and trailing blanks', 'a:\r\n\tb  \r\n', 'a:\n\tb  \n'],
    ['colors', '\u001b[1;31mred\u001b[0m \u001b[38:2::1:2:3mx\u001b[m', 'red x'],
    ['a title', '\u001b]0;title\u0007x\u001b]0;t\u001b\\y', 'xy'],
    ['a link', '\u001b]8;;http://a\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['an image or other string', 'a\u001bPq#0;1\u001b\\b\u001b_x\u001b\\c', 'abc'],
    ['character sets and keypad modes', '\u001b(B\u001b=a\u001b>\u001b7\u001b8', 'a'],
    ['a progress bar', '[#  ] 10%\r[## ] 50%\r[###] 100%\r\ndone', '[###] 100%\ndone'],
    ['a shorter line over a longer one', 'long line\rab', 'abng line'],
    ['a line that is erased first', 'long line\r\u001b[Kab', 'ab'],
    ['a line erased whole', 'long\u001b[2K\rab\r\n', 'ab\n'],
    ['blanks over the rest', 'working...\rdone      \r\n', 'done\n'],
    ['backspaces', 'abc\b\bX\r\n', 'aXc\n'],
    ['a spinner', '|\b/\b-\b\\\bok\r\n', 'ok\n'],
    ['man page bold and underline', 'N\bNA\bA _\bu', 'NA u'],
    ['several lines redrawn', 'a 1\r\nb 1\r\n\u001b[2A\u001b[2Ka 2\r\n\u001b[2Kb 2\r\n', 'a 2\nb 2\n'],
    ['cursor to column', 'abcdef\u001b[3GX', 'abXdef'],
    ['cursor right past the end', 'a\u001b[3Cb', 'a   b'],
    ['deleted and erased characters', 'abcdef\r\u001b[2P\u001b[1X', ' def'],
    ['a cleared screen', 'one\r\n\u001b[2J\u001b[Htwo', 'one\ntwo'],
    ['a full-screen program', 'before\r\n\u001b[?1049h\u001b[5;5Hmess\r\n\u001b[?1049lafter', 'before\nafter'],
    ['bells and nulls', 'a\u0007\u0000b\u009b', 'ab'],
    ['a sequence broken by a newline', 'a\u001b[3\r\nb', 'a\nb'],
    ['wide characters redrawn', '进度 10%\r进度 100%\r\n', '进度 100%\n'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_, written, shown) => {
    expect(plain(written)).toBe(shown)
    // The text does not depend on how the stream is split.
    expect(plain(...written.split(''))).toBe(shown)
  })

  it('keeps every line of a long output, and one very long line', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\r\n')
    expect(plain(lines)).toBe(lines.replaceAll('\r', ''))
    const long = 'x'.repeat(350_000)
    expect(plain(...Array(35).fill('x'.repeat(10_000)), '\r\nend')).toBe(`${long}\nend`)
  })

  it('stops waiting for the end of an endless escape sequence', () => {
    expect(plain(`a\u001b]0;${'x'.repeat(200_000)}`, 'b')).toBe('ab')
  })
})

describe('unread text', () => {
  it('contains new and redrawn lines once, and no unchanged line', () => {
    const text = createPlainText(1_000_000)
    text.write('one\r\ntwo 1%')
    expect(text.unread()).toBe('one\ntwo 1%')
    text.markRead()
    expect(text.hasUnread).toBe(false)
    expect(text.unread()).toBe('')
    text.write('\rtwo 2%')
    expect(text.unread()).toBe('two 2%')
    text.write('\r\nthree\r\n')
    expect(text.unread()).toBe('two 2%\nthree\n')
    text.markRead()
    text.write(Array(1000).fill('more\r\n').join(''))
    expect(text.unread()).toBe('more\n'.repeat(1000))
    text.markRead()
    text.write('last\r\n'.repeat(300))
    expect(text.unread()).toBe('last\n'.repeat(300))
  })

  it('provides the line of the cursor', () => {
    const text = createPlainText(1000)
    text.write('a\r\nName? ')
    expect(text.lastLine).toBe('Name? ')
    text.write('x\r\n')
    expect(text.lastLine).toBe('')
  })
})

describe('truncated output', () => {
  it('keeps start and end, and reports what is missing between them', () => {
    const bounded = createTruncatedOutput(20_000)
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index}\n`)
    for (const line of lines) bounded.append(line)
    const text = bounded.text()
    const [, head = '', missing = '', tail = ''] =
      /^([\s\S]*)\[([\d,]+) characters of output omitted\]\n([\s\S]*)$/.exec(text) ?? []
    expect(lines.join('').startsWith(head)).toBe(true)
    expect(lines.join('').endsWith(tail)).toBe(true)
    expect(head.length + Number(missing.replaceAll(',', '')) + tail.length).toBe(lines.join('').length)
    expect(head.length).toBeGreaterThan(9000)
    expect(tail.length).toBeGreaterThan(9000)
    expect(text.length).toBeLessThan(26_000)
    bounded.clear()
    expect([bounded.empty, bounded.text()]).toEqual([true, ''])
  })

  it('is unchanged below its limit', () => {
    const bounded = createTruncatedOutput(100)
    bounded.append('a'.repeat(60))
    bounded.append('b'.repeat(30))
    expect(bounded.text()).toBe('a'.repeat(60) + 'b'.repeat(30))
  })
})
