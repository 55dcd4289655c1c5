import { describe, expect, it } from 'vitest'
import { fuzzyMatch } from './fuzzyMatch.ts'

describe('fuzzy matching', () => {
  it('wants the characters in their order', () => {
    expect(fuzzyMatch('svl', 'Save all')).not.toBeNull()
    expect(fuzzyMatch('lvs', 'Save all')).toBeNull()
  })

  it('puts word starts before letters in the middle of words', () => {
    const score = (text: string) => fuzzyMatch('sr', text)?.score ?? 0
    expect(score('Split right')).toBeGreaterThan(score('Reverse order'))
    expect(score('Split right')).toBeGreaterThan(score('Show or hide'))
  })

  it('takes a word in one piece where the text has it', () => {
    expect(fuzzyMatch('term', 'View: Toggle jobs and terminals')?.positions).toEqual([22, 23, 24, 25])
    expect(fuzzyMatch('side bar', 'View: Show side bar')?.positions).toEqual([11, 12, 13, 14, 16, 17, 18])
  })

  it('tells which characters matched', () => {
    expect(fuzzyMatch('ot', 'Open tab')?.positions).toEqual([0, 5])
  })
})
