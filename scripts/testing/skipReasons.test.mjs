import { expect, test } from 'vitest'
import { fromVitest, summary } from '../lib/results.mjs'
import { keepSkipReason } from './skipReasons.ts'

/** A skipped test as in the JSON report. */
function skipped(...args) {
  const meta = {}
  const context = { task: { meta }, skip: () => undefined }
  keepSkipReason(context)
  context.skip(...args)
  return { status: 'skipped', fullName: 'a test', meta }
}

test('the summary lists each reason for skipped unit tests once, with their number', () => {
  const assertionResults = [
    skipped('only root can mount a disk'),
    skipped(true, 'only root can mount a disk'),
    skipped('no user namespaces'),
    skipped(false, 'never'),
  ]
  const report = { numPassedTests: 1, numFailedTests: 0, testResults: [{ status: 'passed', assertionResults }] }
  expect(summary([fromVitest(report, 0)]).lines).toEqual([
    '2 not run: only root can mount a disk',
    '1 not run: no user namespaces',
    '1 not run: skipped in the unit tests: a test',
    '1 passed, 0 failed',
  ])
})

test('the setup of every test records the skip reason', (context) => {
  expect(context.skip.name).toBe('remembering')
})
