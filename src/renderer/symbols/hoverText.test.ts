import { expect, test } from 'vitest'
import type { CodeHover } from '../../shared/language/codeNavigation.ts'
import { hoverText } from './hoverText.ts'

const range = { line: 3, column: 1, endLine: 4, endColumn: 2, nameLine: 3, nameColumn: 10 }
const symbol = {
  id: 'a.ts::x#function',
  kind: 'function',
  name: 'x',
  container: '',
  path: 'a_b.ts',
  language: 'typescript',
  ...range,
}
const hover = (change: Partial<CodeHover['symbols'][number]>, resolved = true): CodeHover => ({
  symbols: [{ ...symbol, signature: 'function x()', doc: '', ...change }],
  resolved,
  column: 1,
  name: 'x',
})

test('shows the signature in its language, the comment, and the location', () => {
  const parts = hoverText(hover({ doc: 'Does it.\nTwice.' }), 'typescript')
  expect(parts).toEqual(['```typescript\nfunction x()\n```', 'Does it\\.  \nTwice\\.', '*a\\_b\\.ts:3*'])
})

test('a comment cannot become a link, an image or HTML, and a signature cannot leave its fence', () => {
  const [, doc = ''] = hoverText(hover({ doc: '![x](https://example.org/x.png) <img src=x> https://a' }), 'typescript')
  expect(doc).not.toMatch(/(?<!\\)[[\]<>!]/)
  expect(hoverText(hover({ signature: 'const x = ```js' }), 'typescript')[0]).toMatch(/^````typescript\n/)
})

test('reports a match by name only', () => {
  expect(hoverText(hover({}, false), 'typescript').at(-1)).toContain('name only')
})
