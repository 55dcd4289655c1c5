import { describe, expect, test } from 'vitest'
import { checkNesting } from './pageNesting.ts'

describe('a page is rejected before it is parsed', () => {
  test.each([
    ['graphics', '<svg>'],
    ['lists', '<ul><li>'],
    ['definitions', '<dl><dt>'],
    ['choices', '<select><option>'],
    ['tables', '<table><tr><td>'],
    ['fonts', '<font color="a>b">'],
    ['unknown elements', '<x-a>'],
    ['templates', '<TEMPLATE>'],
  ])('with many %s in each other', (_, html) => {
    expect(() => checkNesting(html.repeat(2500))).toThrow('nested')
    expect(() => checkNesting(html.repeat(500))).not.toThrow()
  })

  test('with many attributes of an element', () => {
    expect(() => checkNesting(`<p ${Array.from({ length: 2500 }, (_, index) => `a${index}=1`).join(' ')}>`)).toThrow(
      'attributes',
    )
  })
})

test.each([
  ['items of one list', `<ul>${'<li><b>open<p>text'.repeat(9000)}</ul>`],
  ['rows of one table', `<table>${'<tr><td><font size=2>text<td><i>more'.repeat(9000)}</table>`],
  ['definitions of one list', `<dl>${'<dt><b>a<dd>b'.repeat(9000)}</dl>`],
  ['paragraphs, links, pictures and line breaks', '<p><a href=x>a<img src=y><br><h2>b<hr>'.repeat(9000)],
  ['choices of one list', `<select>${'<option>a'.repeat(9000)}</select>`],
  ['closed elements', '<div class="a > b"><span>a</span></div>'.repeat(9000)],
  ['elements that close what is open in them', '<div><b>a</div>'.repeat(9000)],
  ['shapes of a graphic', `<svg>${'<path d="M0 0"/>'.repeat(9000)}</svg>`],
  ['tags in scripts, styles and comments', `<script>${'"<div>"'.repeat(9000)}</SCRIPT><!--${'<div>'.repeat(9000)}-->`],
  ['spaces in one value', `<p style="${'a '.repeat(9000)}">`],
  ['signs that are no tags', 'a < b && c <3 </ > <'.repeat(9000)],
  ['an element without end', '<div '.repeat(300)],
])('many %s are no reason to reject a page', (_, html) => {
  expect(() => checkNesting(html)).not.toThrow()
})
