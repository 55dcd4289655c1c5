import { expect, it } from 'vitest'
import { createStatusParser } from './statusParser.ts'

const tracked = (xy: string, path: string) =>
  `1 ${xy} N... 100644 100644 100644 ${'0'.repeat(40)} ${'1'.repeat(40)} ${path}\0`

/** Parses output that arrives in chunks of a size. */
function parse(output: string, { chunk = 1000, limit }: { chunk?: number; limit?: number } = {}) {
  const bytes = Buffer.from(output, 'latin1')
  const parser = createStatusParser(limit)
  for (let at = 0; at < bytes.length; at += chunk) parser.add(bytes.subarray(at, at + chunk))
  return parser.end()
}

it('reads the same entries wherever the output is split', () => {
  const output = [
    '# branch.oid abc\0# branch.head main\0# branch.upstream origin/main\0# branch.ab +2 -1\0# stash 3\0',
    tracked('MM', 'a file.txt'),
    `2 R. N... 100644 100644 100644 ${'0'.repeat(40)} ${'1'.repeat(40)} R100 new\0old\0`,
    `1 .M SCM. 160000 160000 160000 ${'0'.repeat(40)} ${'1'.repeat(40)} inner\0`,
    `u DU N... 100644 100644 000000 100644 ${'0'.repeat(40)} ${'1'.repeat(40)} ${'2'.repeat(40)} both\0`,
    '? caf\xe9\0',
  ].join('')
  const status = parse(output)
  for (const chunk of [1, 2, 7, 64]) expect(parse(output, { chunk })).toEqual(status)
  expect(status).toEqual({
    branch: 'main',
    head: 'abc',
    upstream: { name: 'origin/main', ahead: 2, behind: 1, gone: false },
    stashes: 3,
    groups: {
      merge: [{ path: 'both', kind: 'conflict', conflict: 'deleted_by_us' }],
      staged: [
        { path: 'a file.txt', kind: 'modified' },
        { path: 'new', from: 'old', kind: 'renamed' },
      ],
      changes: [
        { path: 'a file.txt', kind: 'modified' },
        { path: 'inner', kind: 'modified', submodule: { commitChanged: true, modified: true, untracked: false } },
      ],
      untracked: [{ path: 'caf\udce9', kind: 'untracked' }],
    },
    counts: { merge: 1, staged: 2, changes: 2, untracked: 1 },
    truncated: false,
  })
})

it('counts entries beyond the limit of a group without keeping them, and lists every conflict', () => {
  const ids = Array.from({ length: 3 }, () => '0'.repeat(40)).join(' ')
  const output = Array.from(
    { length: 50 },
    (_, index) => `${tracked('MM', `${index}`)}u UU N... 100644 100644 100644 100644 ${ids} c${index}\0? u${index}\0`,
  ).join('')
  const { groups, counts, truncated } = parse(output, { limit: 10 })
  expect(truncated).toBe(true)
  expect(Object.values(groups).map(({ length }) => length)).toEqual([50, 10, 10, 10])
  expect(counts).toEqual({ merge: 50, staged: 50, changes: 50, untracked: 50 })
})
