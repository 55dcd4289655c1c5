import { describe, expect, it } from 'vitest'
import { rebuildSides } from './rebuildSides.ts'
import { parseUnifiedDiff } from './unifiedDiff.ts'

const hunks = parseUnifiedDiff('@@ -2,2 +2,3 @@\n b\n-c\n+C\n+and\n@@ -5,1 +6,1 @@\n-e\n+E\n')
const original = 'a\nb\nc\nd\ne\n'
const modified = 'a\nb\nC\nand\nd\nE\n'

describe('the two texts of a change', () => {
  it('are rebuilt from the file before or after the change', () => {
    expect(rebuildSides(hunks, original)).toEqual({ original, modified, partial: false })
    expect(rebuildSides(hunks, modified)).toEqual({ original, modified, partial: false })
  })

  it('are rebuilt for new and deleted files', () => {
    const created = parseUnifiedDiff('@@ -0,0 +1,2 @@\n+a\n+b\n')
    expect(rebuildSides(created, null)).toMatchObject({ original: '', modified: 'a\nb' })
    expect(rebuildSides(created, 'a\nb\n')).toMatchObject({ modified: 'a\nb\n', partial: false })
    const deleted = parseUnifiedDiff('@@ -1,1 +0,0 @@\n-a\n')
    expect(rebuildSides(deleted, null)).toMatchObject({ original: 'a', modified: '' })
  })

  it('contain only the changed lines if the file has changed since', () => {
    expect(rebuildSides(hunks, 'else\n')).toEqual({
      original: 'b\nc\n\n⋯\n\ne',
      modified: 'b\nC\nand\n\n⋯\n\nE',
      partial: true,
    })
  })
})
