import { describe, expect, it } from 'vitest'
import type { ReviewFile } from '../../shared/review/review.ts'
import { filterFiles, notesOf, shortNote } from './reviewRows.ts'

const file = (path: string, change: Partial<ReviewFile> = {}): ReviewFile => ({
  path,
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 1,
  hunks: 1,
  revision: 1,
  ...change,
})

describe('the filter of the review', () => {
  const files = [
    file('src/users.ts'),
    file('docs/Users.md'),
    file('new.ts', { change: 'renamed', renamedFrom: 'old/users.ts' }),
  ]
  const paths = (filter: string) => filterFiles(files, filter).map(({ path }) => path)

  it('finds files that contain all words, in any order and case', () => {
    expect(paths('USERS src')).toEqual(['src/users.ts'])
    expect(paths('md')).toEqual(['docs/Users.md'])
  })
  it('finds a renamed file by its earlier path', () => expect(paths('old')).toEqual(['new.ts']))
  it('lists all files without a filter', () => expect(paths('  ')).toHaveLength(3))
})

describe('the notes of a file', () => {
  it('name the earlier path and the permissions', () => {
    expect(
      notesOf(file('b.sh', { change: 'renamed', renamedFrom: 'a.sh', mode: { from: 0o100644, to: 0o100755 } })),
    ).toEqual(['Renamed: a.sh → b.sh.', 'Permissions: 644 → 755.'])
  })
  it('state that a binary or a large file has no lines', () => {
    expect(notesOf(file('a.png', { content: 'binary' }))).toEqual(['This file is binary. Keep or undo it as a whole.'])
    expect(shortNote(file('a.png', { content: 'binary' }))).toBe('binary')
    expect(shortNote(file('a.log', { content: 'tooLarge' }))).toBe('large')
  })
  it('show the new permissions in place of counts if nothing else changed', () => {
    expect(shortNote(file('a.sh', { added: 0, removed: 0, mode: { from: 0o644, to: 0o755 } }))).toBe('755')
    expect(shortNote(file('a.sh', { mode: { from: 0o644, to: 0o755 } }))).toBeNull()
  })
  it('give the reason why nothing can be undone', () => {
    expect(notesOf(file('a', { problem: 'The earlier text is no longer stored.' }))).toEqual([
      'The earlier text is no longer stored.',
    ])
  })
})
