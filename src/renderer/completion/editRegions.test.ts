import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EditRegions } from './editRegions.ts'

/** Types into lines and follows the changes, as Monaco reports them. */
function typing(initial: string[], max = 6) {
  let lines = [...initial]
  const regions = new EditRegions(lines, max)
  return {
    replace(start: number, oldEnd: number, ...added: string[]) {
      lines = lines.toSpliced(start - 1, oldEnd - start + 1, ...added)
      regions.changed({ start, oldEnd, newCount: added.length }, lines)
    },
    edits: () => regions.edits(lines),
    lines: () => lines,
  }
}

const numbered = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)

test('keys on the same and on near lines are one edit', () => {
  const { replace, edits } = typing(numbered)
  replace(5, 5, 'line 5a')
  replace(5, 5, 'line 5ab', 'new')
  replace(8, 8, 'line 7!')
  expect(edits()).toEqual([
    {
      line: 5,
      before: ['line 5', 'line 6', 'line 7'],
      after: ['line 5ab', 'new', 'line 6', 'line 7!'],
    },
  ])
})

test('changes far apart are several edits, also above each other', () => {
  const { replace, edits } = typing(numbered)
  replace(20, 20, 'twenty')
  replace(3, 3, 'three', 'and more')
  replace(21, 21, 'twenty again')
  expect(edits()).toEqual([
    { line: 20, before: ['line 20'], after: ['twenty'] },
    { line: 3, before: ['line 3'], after: ['three', 'and more'] },
    { line: 21, before: ['twenty'], after: ['twenty again'] },
  ])
})

test('undone changes and large pastes are no edits', () => {
  const { replace, edits } = typing(numbered)
  replace(5, 5, 'x')
  replace(5, 5, 'line 5')
  expect(edits()).toEqual([])
  replace(20, 20, ...Array.from({ length: 100 }, (_, at) => `pasted ${at}`))
  expect(edits()).toEqual([])
})

test('undoing the edits from the last to the first gives the first text', () => {
  const change = fc.record({
    start: fc.integer({ min: 1, max: 30 }),
    count: fc.integer({ min: 1, max: 3 }),
    added: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const typed = typing(numbered, 100)
      for (const { start, count, added } of changes) {
        const length = typed.lines().length
        const first = Math.min(start, length)
        typed.replace(first, Math.min(length, first + count - 1), ...added)
      }
      let lines = typed.lines()
      for (const { line, before, after } of typed.edits().toReversed()) {
        expect(lines.slice(line - 1, line - 1 + after.length)).toEqual(after)
        lines = lines.toSpliced(line - 1, after.length, ...before)
      }
      expect(lines).toEqual(numbered)
    }),
  )
})
