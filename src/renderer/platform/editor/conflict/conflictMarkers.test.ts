import { describe, expect, it } from 'vitest'
import { hasConflictMarkers, parseConflicts, resolvedLines } from './conflictMarkers.ts'

const text = 'a\n<<<<<<< HEAD\none\n=======\ntwo\nthree\n>>>>>>> feature\nb\n'

describe('conflict markers', () => {
  it('give both sides, their names and the lines with the markers', () => {
    const [conflict, ...others] = parseConflicts(text.split('\n'))
    expect(others).toEqual([])
    expect(conflict).toEqual({
      startLine: 2,
      endLine: 7,
      ours: ['one'],
      theirs: ['two', 'three'],
      base: null,
      ourName: 'HEAD',
      theirName: 'feature',
    })
    expect(conflict && (['ours', 'theirs', 'both'] as const).map((choice) => resolvedLines(conflict, choice))).toEqual([
      ['one'],
      ['two', 'three'],
      ['one', 'two', 'three'],
    ])
  })

  it('of the diff3 style give the common ancestor too', () => {
    const lines = ['<<<<<<< ours', 'one', '||||||| 1a2b3c', 'zero', '=======', '>>>>>>> theirs']
    expect(parseConflicts(lines)[0]).toMatchObject({ ours: ['one'], base: ['zero'], theirs: [] })
  })

  it('that are incomplete are no conflict, nor is a heading of equals signs', () => {
    expect(parseConflicts(['<<<<<<< HEAD', 'one', '=======', 'two'])).toEqual([])
    expect(hasConflictMarkers('Title\n=======\n')).toBe(false)
    expect(hasConflictMarkers(text.replaceAll('\n', '\r\n'))).toBe(true)
  })
})
