import { expect, test } from 'vitest'
import { applyHunks } from './envelopeHunks.ts'
import { replaceExactly } from './exactReplace.ts'
import { parseEnvelope } from './envelope.ts'
import { findWhitespaceMismatch } from './whitespaceFailureHint.ts'
import { locateEdit } from './locateEdit.ts'
import { parseUnified } from './unifiedParser.ts'
import { applyUnified } from './unifiedApply.ts'

const file = 'a\nall:\n\tgcc  -o x\nlet s = "a\tb"\n\n\nend\n'

test.each([
  [
    'gcc -o x',
    3,
    'In line 3, column 5, the file has 2 spaces and your text has 1 space:\n  file:  "gcc  -o x"\n  yours: "gcc -o x"',
  ],
  [
    'let s = "a b"',
    4,
    'In line 4, column 11, the file has 1 tab and your text has 1 space:\n  file:  "let s = \\"a\\tb\\""\n  yours: "let s = \\"a b\\""',
  ],
  [
    'let s="a\tb"',
    4,
    'In line 4, column 6, the file has 1 space and your text has no whitespace:\n  file:  "let s = \\"a\\tb\\""\n  yours: "let s=\\"a\\tb\\""',
  ],
  ['let s = "a\tb"\n\nend', 4, 'Before line 7 the file has 2 blank lines, and your text has 1 blank line.'],
])('%j: reports the first line that differs in whitespace', (wanted, startLine, difference) => {
  expect(findWhitespaceMismatch(file, wanted)).toMatchObject({ startLine, difference, others: 0 })
})

test('every matcher rejects the edit, explains the difference, and includes the text to copy', () => {
  const exact = expect.objectContaining({
    code: 'no_match',
    next: expect.stringMatching(/Copy [^]*:\n\tgcc {2}-o x$/),
    message: expect.stringContaining('2 spaces and your text has 1 space'),
  })
  expect(() => locateEdit(file, { oldText: 'gcc -o x', newText: 'y' })).toThrow(exact)
  expect(() => replaceExactly(file, { old: 'gcc -o x', now: 'y' })).toThrow(exact)
  const [section] = parseEnvelope('*** Begin Patch\n*** Update File: Makefile\n-gcc -o x\n+y\n*** End Patch')
  expect(() => applyHunks(file, section?.kind === 'update' ? section.hunks : [], 'Makefile')).toThrow(exact)
  const { hunks } = applyUnified(file, parseUnified('@@ -3 +3 @@\n-\tgcc -o x\n+\ty\n').hunks)
  expect(hunks).toMatchObject([
    { kind: 'rejected', reason: expect.stringContaining('2 spaces and your text has 1 space') },
  ])
})

test('further matches are counted, and other texts do not match', () => {
  expect(findWhitespaceMismatch('a  b\na  b\n', 'a b')).toMatchObject({ startLine: 1, others: 1 })
  expect(findWhitespaceMismatch(file, 'something else')).toBeUndefined()
  expect(findWhitespaceMismatch(file, ' \n')).toBeUndefined()
})
