import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { parseUnified } from './unifiedParser.ts'
import { applyUnified } from './unifiedApply.ts'

/** Returns the output of `diff -u` for two files. It exits with 1 if they differ. */
const diffOf = (cwd: string): Promise<string> =>
  new Promise((resolve) => {
    execFile('diff', ['-u', 'a', 'b'], { cwd }, (_, stdout) => resolve(stdout))
  })
const apply = (text: string, ...diff: string[]) => applyUnified(text, parseUnified(diff.join('\n')).hunks)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

function failure(work: () => unknown): ToolError {
  try {
    work()
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('it succeeded')
}

describe('a unified diff', () => {
  it('is parsed with names, ranges and line endings', () => {
    const patch = parseUnified(
      'diff --git a/x b/x\nindex 12..34 100644\n--- a/x\t2026\n+++ b/x\n@@ -1,2 +1,2 @@ fn main\n a\n--- not a header\n+++ b\n\\ No newline at end of file\n',
    )
    expect(patch).toMatchObject({ oldPath: 'a/x', newPath: 'b/x' })
    expect(patch.hunks).toMatchObject([
      {
        at: 5,
        oldStart: 1,
        oldOpen: false,
        newOpen: true,
        lines: [
          { mark: ' ', text: 'a' },
          { mark: '-', text: '-- not a header' },
          { mark: '+', text: '++ b' },
        ],
      },
    ])
  })

  test.each<[string, string[], number]>([
    ['nothing', [''], 1],
    ['words', ['please change it'], 1],
    ['a line without a marker', ['@@ -1 +1 @@', '-a', 'b'], 3],
    ['a hunk that changes nothing', ['@@ -1 +1 @@', ' a'], 1],
    [
      'two files',
      ['--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b', '--- a/y', '+++ b/y', '@@ -1 +1 @@', '-a', '+b'],
      6,
    ],
  ])('is refused with %s, and names the line', (_, lines, at) => {
    const error = failure(() => parseUnified(lines.join('\n')))
    expect(error.code).toBe('invalid_arguments')
    expect(error.message).toContain(`Line ${at} of the diff`)
    expect(error.next).not.toBe('')
  })
})

describe('hunks of a unified diff', () => {
  it('apply the output of diff -u, with or without a final newline', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tizona-test-'))
    try {
      const texts = [
        numbers(40),
        numbers(40).replace('7\n', 'seven\n').replace('30\n', '').replace('35\n', '35\nnew\n'),
        '1\n2\n3',
        '1\n2\nthree',
        '1\n2\n3\n',
        '',
        'a\n',
      ]
      for (const before of texts) {
        for (const after of texts.filter((text) => text !== before)) {
          await writeFile(path.join(folder, 'a'), before)
          await writeFile(path.join(folder, 'b'), after)
          const outcome = apply(before, await diffOf(folder))
          expect(outcome.text).toBe(after)
          expect(outcome.hunks.every((hunk) => hunk.kind === 'applied' && hunk.offset === 0 && hunk.fuzz === 0)).toBe(
            true,
          )
        }
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('report their offset, which applies to the following ones', () => {
    const outcome = apply(
      `new\nnew\n${numbers(30)}`,
      '@@ -3,2 +3,2 @@',
      ' 3',
      '-4',
      '+four',
      '@@ -20,2 +20,2 @@',
      ' 20',
      '-21',
      '+21!',
    )
    expect(outcome.hunks).toMatchObject([
      { line: 5, offset: 2 },
      { line: 22, offset: 2 },
    ])
    expect(outcome.text).toContain('four')
  })

  it('match nearest to their line, and are rejected if two matches are equally near', () => {
    const text = 'x\na\na\na\nx\na\na\nx\n'
    expect(apply(text, '@@ -7,1 +7,1 @@', '-x', '+y').text).toBe('x\na\na\na\nx\na\na\ny\n')
    expect(apply(text, '@@ -3,1 +3,1 @@', '-x', '+y').hunks).toMatchObject([{ kind: 'rejected' }])
    expect(apply(text, '@@', '-x', '+y').hunks).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining('3 places') },
    ])
    expect(apply('q\nx\n', '@@ @@', '-x', '+y').text).toBe('q\ny\n')
  })

  it('ignore up to two wrong context lines at each end, and report it', () => {
    const outcome = apply(numbers(9), '@@ -2,6 +2,6 @@', ' wrong', ' 3', ' 4', '-5', '+five', ' 6', ' no', '')
    expect(outcome.hunks).toMatchObject([{ kind: 'applied', fuzz: 1, line: 2, offset: 0 }])
    expect(outcome.text).toBe(numbers(9).replace('5', 'five'))
    expect(apply(numbers(9), '@@ -2,5 +2,5 @@', ' 2', ' 3', ' 4', '-fünf', '+five').hunks).toMatchObject([
      { kind: 'rejected' },
    ])
  })

  it('keep context lines as in the file', () => {
    const outcome = apply('a  \nb\nc\n', '@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c')
    expect(outcome.text).toBe('a  \nB\nc\n')
    expect(outcome.hunks).toMatchObject([{ stage: 'trailing_space' }])
  })

  it('can have wrong counts, or only added lines', () => {
    expect(apply('a\nb\n', '@@ -1,9 +1,9 @@', ' a', '-b', '+c').text).toBe('a\nc\n')
    expect(apply('a\nb\n', '@@ -1,0 +2,1 @@', '+new').text).toBe('a\nnew\nb\n')
    expect(apply('', '@@ -0,0 +1,2 @@', '+a', '+b').text).toBe('a\nb\n')
    expect(apply('a\n', '@@ -9,0 +10,1 @@', '+new').hunks).toMatchObject([{ kind: 'rejected' }])
  })

  it('do not change the end of the file unless the diff does', () => {
    expect(apply('a\nb\n', '@@ -1,2 +1,2 @@', '-a', '+A', ' b', '\\ No newline at end of file').text).toBe('A\nb\n')
    expect(apply('a\nb', '@@ -1,2 +1,2 @@', '-a', '+A', ' b').text).toBe('A\nb')
  })

  it('are rejected if they match only before the previous hunk', () => {
    expect(apply('a\nb\n', '@@ -2 +2 @@', '-b', '+B', '@@ -1 +1 @@', '-a', '+A').hunks).toMatchObject([
      { kind: 'applied' },
      { kind: 'rejected', reason: expect.stringContaining('before') },
    ])
  })
})

it('applies to a large file', () => {
  const text = numbers(300_000)
  expect(apply(text, '@@ -299999,2 +299999,2 @@', ' 299999', '-300000', '+last').text).toBe(
    text.replace('300000\n', 'last\n'),
  )
})
