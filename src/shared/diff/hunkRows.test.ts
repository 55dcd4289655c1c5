import { describe, expect, it } from 'vitest'
import { hunkRows, hunkText, markChangedParts } from './hunkRows.ts'
import { formatUnifiedDiff, parseUnifiedDiff } from './unifiedDiff.ts'

const text = (lines: string) => lines.split('').join('\n').concat('\n')

describe('rows of a diff', () => {
  it('number the lines of both sides, with context around the changes', () => {
    const [hunk, ...others] = hunkRows(text('abcdefgh'), text('abcdXefgh'), { context: 1 })
    expect(others).toEqual([])
    expect(hunk?.lines).toEqual([
      { kind: 'context', text: 'd', oldNumber: 4, newNumber: 4 },
      { kind: 'added', text: 'X', newNumber: 5 },
      { kind: 'context', text: 'e', oldNumber: 5, newNumber: 6 },
    ])
  })

  it('join changes whose context would touch', () => {
    expect(hunkRows(text('abcdefg'), text('AbcdefG'), { context: 2 })).toHaveLength(2)
    expect(hunkRows(text('abcdef'), text('AbcdeF'), { context: 2 })).toHaveLength(1)
  })

  it('are those of the unified diff that is made of them', () => {
    const rows = hunkRows(text('abcdefghijklmnop'), `${text('aBcdefghijklmXnop')}end`)
    const plain = rows.map((hunk) => ({ ...hunk, lines: markChangedParts(hunk.lines) }))
    const parsed = parseUnifiedDiff(formatUnifiedDiff(rows))
    expect(parsed.map(({ lines }) => lines.filter(({ kind }) => kind !== 'note'))).toEqual(
      plain.map(({ lines }) => lines.filter(({ kind }) => kind !== 'note')),
    )
    expect(parsed.map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual(
      rows.map(({ oldStart, newStart }) => [oldStart, newStart]),
    )
  })
})

it('the texts of a hunk end as the texts that it compares', () => {
  const [hunk] = hunkRows('a\nb', 'a\nc\n')
  expect(hunk && [hunkText(hunk, 'original'), hunkText(hunk, 'modified')]).toEqual(['a\nb', 'a\nc\n'])
})
