import { expect, it } from 'vitest'
import { findRanges, maxFound } from './findRanges.ts'

function found(html: string, query: string): string[] {
  document.body.innerHTML = html
  return findRanges(document.body, query).map(String)
}

it('finds text in any case, also across inline elements', () => {
  expect(found('<p>One <b>tw</b>o one</p>', 'ONE')).toEqual(['One', 'one'])
  expect(found('<p>One <b>tw</b>o</p>', 'e two')).toEqual(['e two'])
})

it('does not join paragraphs, and ignores text for screen readers only', () => {
  expect(found('<p>ab</p><p>cd</p>', 'bc')).toEqual([])
  expect(found('<p>ab<span class="visually-hidden">ab</span></p>', 'ab')).toEqual(['ab'])
})

it('finds nothing for an empty query, and stops at a maximum', () => {
  expect(found('<p>a</p>', '')).toEqual([])
  expect(found(`<p>${'a'.repeat(maxFound + 10)}</p>`, 'a')).toHaveLength(maxFound)
})
