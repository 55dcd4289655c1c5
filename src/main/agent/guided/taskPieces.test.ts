import { expect, test } from 'vitest'
import { lineEdits, newPathsIn, piecesOf } from './taskPieces.ts'

test('the pieces of a task are its runs of words', () => {
  expect(piecesOf('Set MAX to 2.0.')).toEqual([
    'Set',
    'MAX',
    'to',
    '2.0',
    'Set MAX',
    'MAX to',
    'to 2.0',
    'Set MAX to',
    'MAX to 2.0',
  ])
})

test('a changed line takes words of the task, and keeps the rest', () => {
  const edits = lineEdits('  "port": 80,', 'Set port to 90.')
  expect(edits).toContain('  "port": 90,')
  expect(edits).not.toContain('  "port": 80,')
  expect(edits.every((edit) => edit.startsWith('  "') && edit.endsWith(','))).toBe(true)
  expect(lineEdits('a '.repeat(2000), 'b '.repeat(2000)).length).toBeLessThanOrEqual(400)
})

test('new paths are words of the task that name no file', () => {
  expect(newPathsIn('Rename "a.md" to docs/b.md.', ['a.md'])).toEqual(['docs/b.md'])
  expect(newPathsIn('Add a file LICENSE, version 1.0.', [])).toEqual([])
})
