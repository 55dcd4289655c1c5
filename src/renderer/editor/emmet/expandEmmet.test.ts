import { describe, expect, it } from 'vitest'
import { expandEmmet, suggestEmmet, wrapWithEmmet } from './expandEmmet.ts'

describe('Emmet', () => {
  it('expands the abbreviation before the cursor', () => {
    expect(expandEmmet('  <p>text</p> ul>li.item$*2', 'html')).toEqual({
      abbreviation: 'ul>li.item$*2',
      snippet: '<ul>\n\t<li class="item1">${1}</li>\n\t<li class="item2">${0}</li>\n</ul>',
      startColumn: 15,
      endColumn: 28,
    })
    expect(expandEmmet('  m10', 'css')?.snippet).toBe('margin: 10px;')
    expect(expandEmmet('div.a', 'jsx')?.snippet).toBe('<div className="a">${0}</div>')
    expect(expandEmmet('', 'html')).toBeUndefined()
    expect(expandEmmet('ul>li*', 'css')).toBeUndefined()
  })

  it('suggests what an abbreviation becomes, and nothing for words', () => {
    expect(suggestEmmet('ul>li', 'html')[0]).toMatchObject({ label: 'ul>li', startColumn: 1, endColumn: 6 })
    expect(suggestEmmet('some words', 'html')).toEqual([])
    expect(suggestEmmet('return', 'jsx')).toEqual([])
  })

  it('wraps text, in one element or one for each line', () => {
    expect(wrapWithEmmet('div.note', 'Cost: $5 {a}', 'html')).toBe('<div class="note">Cost: \\$5 {a\\}</div>')
    expect(wrapWithEmmet('ul>li*', 'one\n  two', 'html')).toBe('<ul>\n\t<li>one</li>\n\t<li>two</li>\n</ul>')
    expect(wrapWithEmmet('ul>>', 'one', 'html')).toBeUndefined()
  })

  it('refuses abbreviations that would create too much', () => {
    for (const text of ['lorem99999999', 'lorem1-99999999', 'loremru9-9999999', 'lorem300000']) {
      expect(expandEmmet(text, 'html')).toBeUndefined()
      expect(suggestEmmet(text, 'html')).toEqual([])
    }
    expect(expandEmmet('((a*900)*900)*900', 'html')).toBeUndefined()
    expect(expandEmmet(`${'a+'.repeat(20_000)}b`, 'html')?.snippet.length ?? 0).toBeLessThan(10_000)
    expect(suggestEmmet(`(${'a+'.repeat(99)}a)*999`, 'html')).toEqual([])
  })

  it('suggests properties, and answers any text of a style sheet at once', () => {
    expect(suggestEmmet('  m10', 'css')).toEqual([
      {
        abbreviation: 'm10',
        label: 'margin: 10px;',
        detail: '',
        snippet: 'margin: 10px;',
        startColumn: 3,
        endColumn: 6,
      },
    ])
    expect(suggestEmmet('dib', 'scss')[0]?.label).toBe('display: inline-block;')
    expect(suggestEmmet('color', 'css')).toEqual([])
    for (const text of [`${'b'.repeat(32)}!`, `x${'-'.repeat(28)}!`, `c${'$'.repeat(40)}`, `a${'-'.repeat(275)}`])
      expect(suggestEmmet(text, 'css').length).toBeLessThan(2)
  })

  it('wraps no more lines than Emmet keeps, with their indentation', () => {
    expect(wrapWithEmmet('ul>li*', 'line\n'.repeat(1500), 'html')).toBeUndefined()
    expect(wrapWithEmmet('div', '<ul>\n    <li>a</li>\n  </ul>', 'html')).toBe(
      '<div>\n\t<ul>\n\t  <li>a</li>\n\t</ul>\n</div>',
    )
  })
})
