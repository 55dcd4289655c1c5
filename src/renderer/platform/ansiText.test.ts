import { describe, expect, it } from 'vitest'
import { parseAnsi } from './ansiText.ts'

describe('colored output', () => {
  it('is split into parts of one style', () => {
    expect(parseAnsi('a \u001b[1;31mred\u001b[0m b')).toEqual({
      spans: [
        { text: 'a ', style: {} },
        { text: 'red', style: { bold: true, color: 'red' } },
        { text: ' b', style: {} },
      ],
      end: {},
    })
  })

  it('continues a style in the next line', () => {
    const { end } = parseAnsi('\u001b[92mgreen')
    expect(end).toEqual({ color: 'green' })
    expect(parseAnsi('more\u001b[39m plain', end).spans).toEqual([
      { text: 'more', style: { color: 'green' } },
      { text: ' plain', style: {} },
    ])
  })

  it('loses other escape sequences, and colors that themes cannot vary', () => {
    const text = '\u001b]0;title\u0007\u001b[2K\u001b[38;5;196ma\u001b[38;2;1;2;3mb\u001b[48;5;7mc\u001b[?25l\u001b(Bd'
    expect(
      parseAnsi(text)
        .spans.map((span) => span.text)
        .join(''),
    ).toBe('abc\u001b(Bd')
    expect(parseAnsi(text).end).toEqual({})
  })
})
