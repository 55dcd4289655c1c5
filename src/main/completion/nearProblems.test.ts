import { expect, test } from 'vitest'
import type { Problem } from '../../shared/language/languageServers.ts'
import { nearProblems } from './nearProblems.ts'

const problem = (line: number, severity: Problem['severity'] = 'error'): Problem => ({
  range: { startLine: line, startColumn: 1, endLine: line, endColumn: 2 },
  severity,
  message: `Cannot find name 'a${line}'.\nDid you mean b?`,
  source: 'ts',
  code: '2304',
  tags: [],
  related: [],
})

test('errors near the cursor are part of the context, but not those of the line that is typed', () => {
  expect(nearProblems([problem(1), problem(8), problem(10), problem(12, 'warning'), problem(13)], 10)).toEqual([
    "line 8: Cannot find name 'a8'.",
    "line 13: Cannot find name 'a13'.",
  ])
})
