import { describe, expect, it } from 'vitest'
import { conflictAtLine, hasConflictMarkers, hasLeftMarker, parseConflicts, resolvedLines } from './conflictMarkers.ts'

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

  it('are longer than lines of the text that look like them, such as a heading', () => {
    const heading = ['Title', '=======', 'one']
    const lines = [
      '<<<<<<<< a',
      ...heading,
      '|||||||| base',
      'Old',
      '=======',
      '========',
      'b',
      '>>>>>>>',
      '>>>>>>>> b',
    ]
    expect(parseConflicts(lines)).toMatchObject([
      { ours: heading, base: ['Old', '======='], theirs: ['b', '>>>>>>>'], ourName: 'a', theirName: 'b', endLine: 11 },
    ])
    const short = ['<<<<<<< a', ...heading, '||||||| base', '=======', 'b', '>>>>>>> b']
    expect(parseConflicts(short)).toMatchObject([{ ours: heading, base: [], theirs: ['b'] }])
    expect(parseConflicts(['<<<<<<<<<<', ...short])).toHaveLength(1)
  })

  it('in an answer are left over unless a side has them', () => {
    const [conflict] = parseConflicts(['<<<<<<< a', 'Title', '=======', '||||||| base', '=======', 'b', '>>>>>>> b'])
    if (!conflict) throw new Error('No conflict was found.')
    expect(hasLeftMarker(['Title', '=======', 'b'], conflict)).toBe(false)
    expect(hasLeftMarker(['Title', '>>>>>>> b'], conflict)).toBe(true)
  })

  it('give the conflict at the cursor, or the next one', () => {
    const conflicts = parseConflicts(`${text}${text}`.split('\n'))
    expect([1, 2, 7, 8, 11, 17].map((line) => conflictAtLine(conflicts, line))).toEqual([0, 0, 0, 1, 1, 1])
  })

  it('that are incomplete are no conflict, nor is a heading of equals signs', () => {
    expect(parseConflicts(['<<<<<<< HEAD', 'one', '=======', 'two'])).toEqual([])
    expect(hasConflictMarkers('Title\n=======\n')).toBe(false)
    expect(hasConflictMarkers(text.replaceAll('\n', '\r\n'))).toBe(true)
  })
})
