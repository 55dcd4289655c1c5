import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  crashedFiles,
  filesToRepeat,
  fromPlaywright,
  fromVitest,
  joined,
  single,
  storiesOf,
  summary,
  withCrashes,
  withRetries,
} from './results.mjs'
import { root } from './paths.mjs'

const unit = (...tests) => ({
  numPassedTests: tests.filter((test) => test.status === 'passed').length,
  numFailedTests: tests.filter((test) => test.status === 'failed').length,
  testResults: [{ name: join(root, 'src', 'add.test.ts'), status: 'passed', assertionResults: tests }],
})
const story = (status, extra = {}) => ({
  title: 'a story',
  file: 'tour.spec.ts',
  tests: [{ projectName: 'browser', status, annotations: [], ...extra }],
})

describe('unit tests', () => {
  it('are counted, and skipped ones are listed', () => {
    const report = unit(
      { status: 'passed' },
      { status: 'passed' },
      { status: 'failed', fullName: 'tools add numbers', failureMessages: ['expected 3\n    at add.ts:1'] },
      { status: 'skipped', fullName: 'needs bubblewrap' },
    )
    expect(fromVitest(report, 1)).toEqual({
      passed: 2,
      failed: 1,
      remarks: ['failed: src/add.test.ts › tools add numbers: expected 3'],
      notRun: [{ count: 1, why: 'skipped in the unit tests: needs bubblewrap' }],
    })
  })

  it('a file that could not be loaded is a failure', () => {
    expect(
      fromVitest(
        { numPassedTests: 3, numFailedTests: 0, testResults: [{ status: 'failed', assertionResults: [] }] },
        1,
      ),
    ).toMatchObject({ passed: 3, failed: 1, remarks: ['failed: a test could not be run'] })
  })

  it('an error outside every test is a failure', () =>
    expect(fromVitest(unit({ status: 'passed' }), 1)).toMatchObject({
      passed: 1,
      failed: 1,
      remarks: ['failed: an error outside the unit tests; see their output above'],
    }))
  it('a run without a report is a failure', () =>
    expect(fromVitest(null, 0)).toMatchObject({
      passed: 0,
      failed: 1,
      remarks: ['failed: the unit tests wrote no report'],
    }))
})

describe('a test process that crashed', () => {
  const file = (name, ...statuses) => ({
    name,
    status: 'passed',
    assertionResults: statuses.map((status) => ({ status, fullName: name })),
  })
  const crashed = {
    numPassedTests: 2,
    numFailedTests: 0,
    testResults: [file('a', 'passed', 'skipped'), file('b', 'passed', 'pending')],
  }

  it('is detected by its tests without a result, even if another test failed', () => {
    expect(crashedFiles(crashed, 1)).toEqual(['b'])
    expect(crashedFiles(crashed, 0)).toEqual([])
    expect(crashedFiles({ ...crashed, numFailedTests: 1 }, 1)).toEqual(['b'])
    expect(crashedFiles(null, 1)).toEqual([])
  })

  it('remains a failure and is listed if its second run passes', () => {
    const again = fromVitest(joined(crashed, { testResults: [file('b', 'passed', 'passed')] }), 0)
    const result = withCrashes(again, ['src/b.test.ts'])
    expect(result).toMatchObject({ passed: 3, failed: 1 })
    expect(summary([result]).lines.slice(-2)).toEqual([
      'crashed: the process of src/b.test.ts ended during its tests; they were run again',
      '3 passed, 1 failed',
    ])
  })

  it('has the test counts of its second run', () => {
    const well = { testResults: [file('b', 'passed', 'passed')] }
    expect(fromVitest(joined(crashed, well), 0)).toMatchObject({ passed: 3, failed: 0 })
    const badly = { testResults: [file('b', 'passed', 'failed')] }
    expect(fromVitest(joined(crashed, badly), 1)).toMatchObject({ passed: 2, failed: 1 })
    expect(fromVitest(joined(crashed, { testResults: [file('b', 'passed', 'pending')] }), 1)).toMatchObject({
      failed: 1,
    })
  })
})

describe('a unit test that failed', () => {
  const file = (name, ...tests) => ({
    name,
    status: tests.some(([, status]) => status === 'failed') ? 'failed' : 'passed',
    assertionResults: tests.map(([fullName, status]) => ({ fullName, status, failureMessages: ['late\n at a'] })),
  })
  const report = (...files) => joined({ testResults: [] }, { testResults: files })
  const first = report(file('a', ['one', 'passed'], ['two', 'failed']), file('b', ['three', 'passed']))

  it('is run again with its file, unless many files failed', () => {
    expect(filesToRepeat(first, [])).toEqual(['a'])
    expect(filesToRepeat(first, ['a'])).toEqual([])
    expect(filesToRepeat(null, [])).toEqual([])
    expect(filesToRepeat(report(...['a', 'b', 'c', 'd'].map((name) => file(name, ['one', 'failed']))), [])).toEqual([])
  })

  it('passes if its second run passes, and is listed with the cause', () => {
    const again = report(file('a', ['one', 'passed'], ['two', 'passed']))
    const result = withRetries(fromVitest(joined(first, again), 0), first, again)
    expect(result).toMatchObject({ passed: 3, failed: 0 })
    expect(result.remarks).toEqual([
      expect.stringMatching(/^retried: .*a › two: late; it passed when it was run again$/),
    ])
  })

  it('fails if its second run fails', () => {
    const result = withRetries(fromVitest(joined(first, first), 1), first, first)
    expect(result).toMatchObject({
      passed: 2,
      failed: 1,
      remarks: [expect.stringMatching(/^failed: .*a › two: late$/)],
    })
  })
})

describe('stories', () => {
  it('are counted in nested suites, and skipped ones by reason', () => {
    const why = { annotations: [{ type: 'skip', description: 'needs an unprivileged user' }] }
    const report = {
      suites: [
        {
          specs: [story('expected')],
          suites: [{ specs: [story('unexpected'), story('skipped', why), story('skipped', why), story('skipped')] }],
        },
      ],
    }
    expect(fromPlaywright(report, 1)).toEqual({
      remarks: ['failed: tour.spec.ts › a story (browser)'],
      passed: 1,
      failed: 1,
      notRun: [
        { count: 2, why: 'needs an unprivileged user' },
        { count: 1, why: 'skipped end-to-end: a story' },
      ],
    })
    expect(storiesOf(report, 'browser')).toBe(5)
    expect(storiesOf(report, 'electron')).toBe(0)
  })

  it('that pass only on a retry are counted as passed and listed at the end', () => {
    const flaky = story('flaky')
    const result = fromPlaywright({ suites: [{ specs: [flaky, story('expected')] }] }, 0)
    expect(result).toMatchObject({ passed: 2, failed: 0 })
    expect(summary([result]).lines).toEqual([
      'retried: tour.spec.ts › a story (browser) passed only when it was run again',
      '2 passed, 0 failed',
    ])
  })

  it('a runner that fails without a failing story is a failure', () =>
    expect(fromPlaywright({ suites: [] }, 1)).toMatchObject({ failed: 1 }))
})

describe('the summary lines', () => {
  it('list what was not run and why, and end with the counts', () => {
    const results = [
      single(true, 'Build'),
      single(false, 'Lint'),
      { passed: 10, failed: 0, notRun: [{ count: 3, why: 'no Electron' }] },
    ]
    expect(summary(results)).toEqual({
      lines: ['3 not run: no Electron', 'failed: Lint', '11 passed, 1 failed'],
      ok: false,
    })
  })

  it('report success only if at least one test passed and none failed', () => {
    expect(summary([single(true, 'Build')]).ok).toBe(true)
    expect(summary([]).ok).toBe(false)
  })
})
