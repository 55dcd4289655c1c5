import { describe, expect, it } from 'vitest'
import { proposedHunks, partialHunks, withoutHunk, type ProposedHunk } from './proposalHunks.ts'

const lines = (text: string) => (text === '' ? [] : text.split(''))

/** Applies hunks from the last to the first. */
function applied(base: readonly string[], hunks: readonly ProposedHunk[]): string[] {
  return hunks.reduceRight((text, { start, removed, added }) => text.toSpliced(start, removed, ...added), [...base])
}

describe('hunks of a proposal', () => {
  it.each([
    ['abc', 'abc'],
    ['abc', 'axc'],
    ['abc', ''],
    ['', 'abc'],
    ['abcdef', 'xbcyyef'],
    ['aaaa', 'aba'],
  ])('turn %j into %j', (base, proposal) => {
    expect(applied(lines(base), proposedHunks(lines(base), lines(proposal)))).toEqual(lines(proposal))
  })

  it('join removed and added lines at one place', () => {
    expect(proposedHunks(lines('abcde'), lines('axcdey'))).toEqual([
      { start: 1, removed: 1, added: ['x'] },
      { start: 5, removed: 0, added: ['y'] },
    ])
  })

  it('become one hunk when too many lines differ', () => {
    const base = Array.from({ length: 3000 }, (_, index) => `a${index}`)
    const proposal = Array.from({ length: 3000 }, (_, index) => `b${index}`)
    expect(proposedHunks(base, proposal)).toEqual([{ start: 0, removed: 3000, added: proposal }])
  })

  it('can be left out of the proposal one at a time', () => {
    const base = lines('abcdef')
    const proposal = lines('xxbcdyf')
    const [first, second] = proposedHunks(base, proposal)
    expect(first && withoutHunk(base, proposal, first).join('')).toBe('abcdyf')
    expect(second && withoutHunk(base, proposal, second).join('')).toBe('xxbcdef')
  })
})

describe('hunks of a proposal that is being written', () => {
  it('do not remove the lines that it has not reached', () => {
    expect(partialHunks(lines('abcdef'), lines('ax'))).toEqual([{ start: 1, removed: 1, added: ['x'] }])
    expect(partialHunks(lines('abcdef'), lines('ab'))).toEqual([])
    expect(partialHunks(lines('abcdef'), [])).toEqual([])
  })

  it('show removed lines once the proposal has passed them', () => {
    expect(partialHunks(lines('abcdef'), lines('acd'))).toEqual([{ start: 1, removed: 1, added: [] }])
  })

  it('grow without matching far lines', () => {
    const base = ['f(', ...lines('abcdefghijklmnopqrstuvwxyz'), '}']
    expect(partialHunks(base, ['f(', 'new', '}'])).toEqual([{ start: 1, removed: 2, added: ['new', '}'] }])
  })
})
