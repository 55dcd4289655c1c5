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
    expect(expandEmmet('lorem99999999', 'html')).toBeUndefined()
    expect(suggestEmmet('lorem99999999', 'html')).toEqual([])
    expect(expandEmmet('((a*900)*900)*900', 'html')).toBeUndefined()
    expect(expandEmmet(`${'a+'.repeat(20_000)}b`, 'html')?.snippet.length ?? 0).toBeLessThan(10_000)
    expect(suggestEmmet(`(${'a+'.repeat(99)}a)*999`, 'html')).toEqual([])
  })
})
