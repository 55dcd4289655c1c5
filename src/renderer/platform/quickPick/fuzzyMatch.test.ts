import { describe, expect, it } from 'vitest'
import { fuzzyMatch } from './fuzzyMatch.ts'

describe('fuzzy matching', () => {
  it('requires the characters in order', () => {
    expect(fuzzyMatch('svl', 'Save all')).not.toBeNull()
    expect(fuzzyMatch('lvs', 'Save all')).toBeNull()
  })

  it('ranks word starts before characters inside words', () => {
    const score = (text: string) => fuzzyMatch('sr', text)?.score ?? 0
    expect(score('Split right')).toBeGreaterThan(score('Reverse order'))
    expect(score('Split right')).toBeGreaterThan(score('Show or hide'))
  })

  it('prefers contiguous occurrences of a word', () => {
    expect(fuzzyMatch('term', 'View: Toggle jobs and terminals')?.positions).toEqual([22, 23, 24, 25])
    expect(fuzzyMatch('side bar', 'View: Show side bar')?.positions).toEqual([11, 12, 13, 14, 16, 17, 18])
  })

  it('returns the positions of the matched characters', () => {
    expect(fuzzyMatch('ot', 'Open tab')?.positions).toEqual([0, 5])
  })
})
