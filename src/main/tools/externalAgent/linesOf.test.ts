import { expect, it } from 'vitest'
import { linesOf } from './externalAgentTools.ts'

const texts = ['', 'one', 'one\n', '\n', 'one\ntwo\nthree', 'one\n\nthree\n']

it.each(texts)('returns the same lines as splitting the text: %j', (text) => {
  const all = text.split('\n')
  for (let first = 1; first <= all.length + 1; first += 1)
    for (const limit of [undefined, 0, 1, 2, 100]) {
      const expected = all.slice(first - 1, limit === undefined ? undefined : first - 1 + limit)
      expect(linesOf(text, first, limit), `${first}, ${limit}`).toEqual({
        text: expected.join('\n'),
        first,
        last: first + expected.length - 1,
        total: all.length,
      })
    }
})
