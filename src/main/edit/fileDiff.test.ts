import { applyPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { fileDiff } from './fileDiff.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`)

describe('fileDiff', () => {
  test('shows a change with three lines of context and its real line numbers', () => {
    const lines = numbered(100)
    const after = lines.with(49, 'changed\n').join('')
    const diff = fileDiff('src/a.ts', lines.join(''), after)
    expect(diff).toEqual({
      path: 'src/a.ts',
      change: 'modified',
      diff: [
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -47,7 +47,7 @@',
        ' line 47',
        ' line 48',
        ' line 49',
        '-line 50',
        '+changed',
        ' line 51',
        ' line 52',
        ' line 53',
        '',
      ].join('\n'),
      added: 1,
      removed: 1,
    })
  })

  test('marks created and deleted files', () => {
    expect(fileDiff('a', null, 'x\ny\n')).toMatchObject({
      change: 'created',
      added: 2,
      removed: 0,
      diff: '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n',
    })
    expect(fileDiff('a', 'x\n', null)).toMatchObject({
      change: 'deleted',
      added: 0,
      removed: 1,
      diff: '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
    })
    expect(fileDiff('a', null, '')).toMatchObject({ change: 'created', added: 0, diff: '' })
  })

  test('shows a missing final newline', () => {
    expect(fileDiff('a', 'x', 'x\n').diff).toContain('-x\n\\ No newline at end of file\n+x\n')
  })

  test('counts a line whose text starts with a sign once', () => {
    expect(fileDiff('a', '+a\n', '-b\n--c\n')).toMatchObject({ added: 2, removed: 1 })
  })

  test('is empty for equal texts', () => {
    expect(fileDiff('a', 'x', 'x')).toMatchObject({ diff: '', added: 0, removed: 0 })
  })

  test('shows a rewrite of thousands of lines as one block that still applies', () => {
    const before = [
      'same\n',
      ...Array.from({ length: 30_000 }, (_, index) => `${((index + 1) * 7919) % 30_011}\n`),
      'end\n',
    ].join('')
    const after = [
      'same\n',
      ...Array.from({ length: 30_000 }, (_, index) => `${((index + 1) * 104_729) % 30_011}\n`),
      'end\n',
    ].join('')
    const diff = fileDiff('a', before, after)
    expect(diff.diff.match(/^@@/gm)).toHaveLength(1)
    expect(diff).toMatchObject({ added: 30_000, removed: 30_000 })
    expect(applyPatch(before, diff.diff)).toBe(after)
  })

  test('truncates a huge diff, reports how much is missing, and counts all lines', () => {
    const diff = fileDiff('a', null, `${'x'.repeat(99)}\n`.repeat(50_000))
    expect(diff.added).toBe(50_000)
    expect(diff.diff.length).toBeLessThan(1_001_000)
    expect(diff.diff).toMatch(/\n\\ 4\d,\d{3} more lines not shown\n$/)
  })

  test('keeps Unicode names readable and quotes control characters', () => {
    expect(fileDiff('größe.ts', 'a', 'b').diff).toContain('--- a/größe.ts\n')
    expect(fileDiff('a\nb', 'a', 'b').diff).toContain('--- "a/a\\nb"\n')
  })

  test('applying the diff of random texts to the first yields the second', () => {
    let seed = 42
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
    for (let round = 0; round < 500; round += 1) {
      const text = () =>
        Array.from({ length: random(14) }, () => 'abc'[random(3)] ?? '').join('\n') + (random(2) ? '\n' : '')
      const before = text()
      const after = text()
      const diff = fileDiff('f', before, after)
      expect(diff.diff === '' ? before : applyPatch(before, diff.diff), JSON.stringify({ before, after, diff })).toBe(
        after,
      )
    }
  })

  test('supports more lines than a call can have arguments', () => {
    const diff = fileDiff('a', null, 'x\n'.repeat(200_000))
    expect(diff).toMatchObject({ added: 200_000 })
    expect(applyPatch('', diff.diff)).toBe('x\n'.repeat(200_000))
  })
})
