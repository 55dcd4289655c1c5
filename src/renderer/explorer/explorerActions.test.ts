import { describe, expect, it } from 'vitest'
import { copyName, nameProblem } from './explorerActions.ts'

describe('names typed in the explorer', () => {
  it.each(['a.txt', 'new/folder/a.txt', '.env', ' spaced '])('%j can be used', (name) =>
    expect(nameProblem(name)).toBeNull(),
  )

  it.each(['', '  ', '/etc/passwd', 'a/', 'a//b', '../b', 'a/../b', '.', 'a\0b'])('%j cannot', (name) =>
    expect(nameProblem(name)).toMatch(/name/i),
  )

  it('of copies are not in use', () => {
    expect(copyName('a.txt', new Set(['a.txt']))).toBe('a copy.txt')
    expect(copyName('a.txt', new Set(['a copy.txt', 'a copy 2.txt']))).toBe('a copy 3.txt')
    expect(copyName('.env', new Set())).toBe('.env copy')
  })
})
