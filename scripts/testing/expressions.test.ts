import { check } from 'recheck'
import { expect, test } from 'vitest'
import record from './expressions.json' with { type: 'json' }
import { hashOf, regexLiterals, type RegexLiteral } from './expressions.ts'

// Main and its processes match text of workspaces, programs and models. `recheck` finds expressions that take more than
// linear time. Its verdicts are stored in expressions.json, because checking all expressions takes minutes. Only new
// expressions are checked here.

/** Milliseconds for one expression. */
const timeout = 20_000
/** Maximum number of new expressions that one run checks. More must be recorded first. */
const maxChecked = 10

const linear = new Set(record.linear.flatMap((line) => line.split(' ')))
const judged: Readonly<Record<string, string>> = record.judged
const all = regexLiterals()

async function problemOf({ text, pattern, flags, files }: RegexLiteral): Promise<string | undefined> {
  // These flags do not affect the time, and the checker does not support them.
  const verdict = await check(pattern, flags.replaceAll(/[dv]/g, ''), { timeout, checker: 'automaton' })
  if (verdict.status === 'safe') return undefined
  const found =
    verdict.status === 'vulnerable'
      ? `takes ${verdict.complexity.summary} time`
      : `could not be judged (${verdict.error.kind})`
  return `${text} in ${files.join(', ')} ${found}. Write it so that it takes linear time, or name in expressions.json what bounds its text.`
}

test('every regular expression of the main process takes linear time, or was reviewed by hand', async () => {
  const fresh = all.filter(({ text }) => !linear.has(hashOf(text)) && !Object.hasOwn(judged, text))
  expect(
    fresh.length,
    'add the hashes of new expressions that take linear time to expressions.json',
  ).toBeLessThanOrEqual(maxChecked)
  const problems = await Promise.all(fresh.map(problemOf))
  expect(problems.filter((problem) => problem !== undefined)).toEqual([])
}, 300_000)

test('detects an expression that takes quadratic time', async () => {
  expect(await problemOf({ text: '/a+$/', pattern: 'a+$', flags: '', files: ['x.ts'] })).toMatch(
    /2nd degree polynomial/,
  )
  expect(await problemOf({ text: '/^a+$/', pattern: '^a+$', flags: '', files: ['x.ts'] })).toBeUndefined()
}, 300_000)

test('every expression reviewed by hand still exists', () => {
  const written = new Set(all.map(({ text }) => text))
  expect(Object.keys(judged).filter((text) => !written.has(text))).toEqual([])
})
