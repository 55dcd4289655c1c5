import { expect, it } from 'vitest'
import { createIsolatedJobs } from '../../base/isolatedJob.ts'
import { attackTexts } from './attackTexts.ts'
import { createExpressionJudge } from './judgeExpressions.ts'

const expressions = (patterns: readonly string[]) => patterns.map((pattern) => ({ pattern, flags: '' }))

it('expressions that take exponential or cubic time are found, and usual ones are used', async () => {
  const judge = createExpressionJudge(createIsolatedJobs())
  const slow = ['^(a+)+$', '(a|a)*b', '(x+x+)+y', '^\\s*(\\w+\\s*)*;$', '(.*)(.*)(.*)(.*)x']
  const fast = [
    '^\\s*[\\}\\]].*$',
    '^.*\\{[^}\\"\']*$',
    '(-?\\d*\\.\\d\\w*)|([^\\s]+)',
    '^((?!\\/\\/).)*(\\{|\\()\\s*$',
  ]
  expect(await judge(expressions([...slow, ...fast]))).toEqual([...slow.map(() => false), ...fast.map(() => true)])
})

it('texts have at most the given length, also for expressions that are hard to read', () => {
  for (const pattern of ['(?<name>[^\\]]+)\\k<name>{2,}', '[\\p{L}_]{3,}?|\\u{1F600}+', '((((a?)*)*)*)*', ''])
    for (const text of attackTexts(pattern, 'u', 200)) expect(text.length).toBeLessThanOrEqual(200)
})
