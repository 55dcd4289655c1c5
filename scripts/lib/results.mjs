import { relative } from 'node:path'
import { root } from './paths.mjs'

/**
 * Result of a check. `remarks`: lines for the summary, which name failed tests and tests that needed a second run.
 * @typedef {{ passed: number, failed: number, notRun: { count: number, why: string }[], remarks?: string[] }} Result
 */

/** Returns the result of a check without separate tests: a typecheck, a lint, a build. @returns {Result} */
export function single(ok, name) {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, notRun: [], remarks: ok ? [] : [`failed: ${name}`] }
}

/**
 * Converts Vitest's JSON report. A file that could not be loaded has no tests and counts as one failure.
 * @returns {Result}
 */
export function fromVitest(report, exitCode) {
  if (report === null) return { passed: 0, failed: 1, notRun: [], remarks: ['failed: the unit tests wrote no report'] }
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const skipped = report.testResults.flatMap((file) =>
    file.assertionResults.filter((test) => test.status !== 'passed' && test.status !== 'failed'),
  )
  const failed = report.numFailedTests + broken.length
  // An error outside of tests fails the run but is not in the counts.
  const elsewhere = exitCode !== 0 && failed === 0
  return {
    passed: report.numPassedTests,
    failed: elsewhere ? 1 : failed,
    remarks: [
      ...failuresOf(report).map((test) => `failed: ${described(test)}`),
      ...broken.map((file) => `failed: ${named(file.name)} could not be run${cause(file.message)}`),
      ...(elsewhere ? ['failed: an error outside the unit tests; see their output above'] : []),
    ],
    notRun: grouped(skipped.map((test) => test.meta?.reason ?? `skipped in the unit tests: ${test.fullName}`)),
  }
}

/** Returns the test files whose process ended during their tests, for example because of a crash in native code. */
export function crashedFiles(report, exitCode) {
  if (report === null || exitCode === 0) return []
  const unfinished = (file) =>
    file.status !== 'failed' && file.assertionResults.some((test) => test.status === 'pending')
  return report.testResults.filter(unfinished).map((file) => file.name)
}

/** Maximum number of test files that are run again. More failures are not caused by chance. */
const maxRepeatedFiles = 3

/**
 * Returns the test files to run again: those with failed tests, if they are few. Shared machines can stall for longer
 * than a test waits.
 */
export function filesToRepeat(report, crashed) {
  if (report === null) return []
  const failed = report.testResults
    .filter((file) => file.status === 'failed' && !crashed.includes(file.name))
    .map((file) => file.name)
  return failed.length <= maxRepeatedFiles ? failed : []
}

/** Lists tests that failed in the first run and passed in the second, with the cause of the first failure. */
export function withRetries(result, first, again) {
  const passed = new Set(
    again.testResults.flatMap((file) =>
      file.assertionResults.filter((test) => test.status === 'passed').map((test) => `${file.name} ${test.fullName}`),
    ),
  )
  const repeated = failuresOf(first).filter((test) => passed.has(`${test.file} ${test.fullName}`))
  return {
    ...result,
    remarks: [
      ...(result.remarks ?? []),
      ...repeated.map((test) => `retried: ${described(test)}; it passed when it was run again`),
    ],
  }
}

/** Counts each crashed file as a failure, even if its second run passed. @returns {Result} */
export function withCrashes(result, files) {
  return {
    ...result,
    failed: result.failed + files.length,
    remarks: [
      ...(result.remarks ?? []),
      ...files.map((file) => `crashed: the process of ${file} ended during its tests; they were run again`),
    ],
  }
}

/** Replaces files in a report by their results in the second run. */
export function joined(report, again) {
  const names = new Set(again.testResults.map((file) => file.name))
  const testResults = [...report.testResults.filter((file) => !names.has(file.name)), ...again.testResults]
  const count = (status) =>
    testResults.reduce((sum, file) => sum + file.assertionResults.filter((test) => test.status === status).length, 0)
  return { testResults, numPassedTests: count('passed'), numFailedTests: count('failed') }
}

/** Converts Playwright's JSON report. @returns {Result} */
export function fromPlaywright(report, exitCode) {
  if (report === null) return { passed: 0, failed: 1, notRun: [], remarks: ['failed: the stories wrote no report'] }
  const tests = report.suites.flatMap(testsOf)
  const failed = tests.filter((test) => test.status === 'unexpected')
  const elsewhere = exitCode !== 0 && failed.length === 0
  const story = (test) => `${test.file} › ${test.title} (${test.projectName})`
  const reasons = tests
    .filter((test) => test.status === 'skipped')
    .map(
      (test) =>
        test.annotations?.find((note) => note.type === 'skip' || note.type === 'fixme')?.description ??
        `skipped end-to-end: ${test.title}`,
    )
  return {
    passed: tests.filter((test) => test.status === 'expected' || test.status === 'flaky').length,
    failed: elsewhere ? 1 : failed.length,
    notRun: grouped(reasons),
    remarks: [
      ...failed.map((test) => `failed: ${story(test)}`),
      ...(elsewhere ? ['failed: an error outside the stories; see their output above'] : []),
      ...tests
        .filter((test) => test.status === 'flaky')
        .map((test) => `retried: ${story(test)} passed only when it was run again`),
    ],
  }
}

/** Returns the number of stories of a project in the Playwright report. */
export function storiesOf(report, project) {
  return report === null ? 0 : report.suites.flatMap(testsOf).filter((test) => test.projectName === project).length
}

function testsOf(suite) {
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => ({ ...test, title: spec.title, file: spec.file })),
  )
  return [...own, ...(suite.suites ?? []).flatMap(testsOf)]
}

function failuresOf(report) {
  return report.testResults.flatMap((file) =>
    file.assertionResults.filter((test) => test.status === 'failed').map((test) => ({ ...test, file: file.name })),
  )
}

function described(test) {
  return `${named(test.file)} › ${test.fullName}${cause(test.failureMessages?.[0])}`
}

/** Shortens the path of a test file to start at the sources. */
function named(file) {
  return file === undefined ? 'a test' : relative(root, file)
}

/** Returns `: ` and the first line of an error message, or nothing. */
function cause(message) {
  const line = message?.split('\n', 1)[0] ?? ''
  return line === '' ? '' : `: ${line}`
}

function grouped(reasons) {
  const counts = new Map()
  for (const why of reasons) counts.set(why, (counts.get(why) ?? 0) + 1)
  return [...counts].map(([why, count]) => ({ count, why }))
}

/**
 * Returns the summary: tests that did not run and why, failed, crashed and retried tests, then exactly `N passed, N failed`.
 */
export function summary(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  const notRun = results.flatMap((result) => result.notRun).map(({ count, why }) => `${count} not run: ${why}`)
  const remarks = results.flatMap((result) => result.remarks ?? [])
  return {
    lines: [...notRun, ...remarks, `${sum('passed')} passed, ${sum('failed')} failed`],
    ok: sum('failed') === 0 && sum('passed') > 0,
  }
}
