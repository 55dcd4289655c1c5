import { describe, expect, it } from 'vitest'
import { hasHiddenCharacters, hasHiddenInCommand, visibleCommand, visibleText } from './visibleText.ts'

describe('visibleText', () => {
  it('does not change ordinary text, newlines and tabs', () => {
    const text = 'git commit -m "schön 日本 👍"\n\tnext'
    expect(visibleText(text)).toBe(text)
    expect(hasHiddenCharacters(text)).toBe(false)
  })

  it('shows escape, carriage return, backspace and delete as symbols', () => {
    expect(visibleText('a\u001b[2Jb\rc\bd\u007f\u0000')).toBe('a␛[2Jb␍c␈d␡␀')
  })

  it.each([
    ['\u009b', '\\u009b'],
    ['\u202e', '\\u202e'],
    ['\u2066', '\\u2066'],
    ['\u200b', '\\u200b'],
    ['\u2028', '\\u2028'],
    ['\ufeff', '\\ufeff'],
    ['\u3164', '\\u3164'],
    ['\ud800', '\\ud800'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('spells out a hidden character', (hidden, shown) => {
    expect(visibleText(`rm ${hidden}x`)).toBe(`rm ${shown}x`)
    expect(hasHiddenCharacters(hidden)).toBe(true)
  })
})

describe('visibleCommand', () => {
  it.each(['\u00a0', '\u2003', '\u202f', '\u2800', '\u3000'])('shows %j, which separates no words', (blank) => {
    expect(visibleCommand(`rm -rf${blank}x`)).toBe(
      `rm -rf\\u${(blank.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}x`,
    )
    expect(hasHiddenInCommand(`rm -rf${blank}x`)).toBe(true)
    // In other text it is ordinary.
    expect(hasHiddenCharacters(blank)).toBe(false)
  })

  it('shows what visibleText shows, and does not change ordinary lines', () => {
    expect(visibleCommand('a\u202eb')).toBe('a\\u202eb')
    expect(hasHiddenInCommand('git commit -m "schön 日本"\n\tls')).toBe(false)
  })
})
