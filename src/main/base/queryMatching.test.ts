import { describe, expect, it } from 'vitest'
import { isSubsequence, matchesWordStarts } from './queryMatching.ts'

describe('isSubsequence', () => {
  it('accepts characters in order with others between them', () => {
    expect(isSubsequence('workspace', 'wsc')).toBe(true)
    expect(isSubsequence('workspace', '')).toBe(true)
  })

  it('rejects another order, and a character that occurs once but is needed twice', () => {
    expect(isSubsequence('workspace', 'csw')).toBe(false)
    expect(isSubsequence('main', 'mm')).toBe(false)
  })
})

describe('matchesWordStarts', () => {
  const words = ['get', 'workspace', 'structure']

  it.each(['gws', 'ws', 'gwst', 'getstr', 'g'])('accepts %s', (query) => {
    expect(matchesWordStarts(words, query)).toBe(true)
  })

  it.each(['et', 'gsw', 'gwx'])('rejects %s', (query) => {
    expect(matchesWordStarts(words, query)).toBe(false)
  })

  it('shortens a prefix when the next word needs its letters', () => {
    expect(matchesWordStarts(['so', 'or'], 'sor')).toBe(true)
    expect(matchesWordStarts(['a', 'ab', 'bc'], 'abc')).toBe(true)
  })

  it('rejects queries and names beyond its bounds, so that it always ends quickly', () => {
    const manyWords = Array.from({ length: 13 }, () => 'aaaaaaaa')
    expect(matchesWordStarts(manyWords, 'aaa')).toBe(false)
    expect(matchesWordStarts(['a'.repeat(40)], 'a'.repeat(31))).toBe(false)
  })
})
