import { expect, it } from 'vitest'
import { lineChangeOf } from './hunkLineChange.ts'

it('a change carries the text of both sides', () => {
  const at = (name: string) => (line: number) => `${name}${line}`
  const change = { original: { start: 1, count: 1 }, modified: { start: 1, count: 2 } }
  expect(lineChangeOf(change, at('old'), at('new'))).toEqual({
    before: { line: 1, text: ['old1'] },
    after: { line: 1, text: ['new1', 'new2'] },
  })
})
