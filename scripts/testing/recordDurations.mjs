import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { nodeModules, root } from '../lib/paths.mjs'
import { capture } from '../lib/steps.mjs'
import { nodeBinary } from '../lib/paths.mjs'

/**
 * `node scripts/testing/recordDurations.mjs [UNIT.json] [STORIES.json]`: records how long slow test files take, from the
 * reports of a run without TIZONA_TEST_SHARE (test-results/). lib/testShare.mjs uses them.
 */
const [unitReport, storyReport] = process.argv.slice(2)
const table = join(root, 'scripts', 'testing', 'durations.json')
/** Seconds. Faster unit tests always run; most of their time is that of starting them. */
const slow = 3

const read = (file, otherwise) => JSON.parse(readFileSync(file ?? join(root, 'test-results', otherwise), 'utf8'))

function unitSeconds() {
  const files = read(unitReport, 'unit.json').testResults
  return files
    .map((file) => [inClone(file.name), (file.endTime - file.startTime) / 1000])
    .filter(([, time]) => time >= slow)
}

function storySeconds() {
  const sums = new Map()
  const add = (suite) => {
    for (const spec of suite.specs ?? [])
      for (const test of spec.tests.filter(({ projectName }) => projectName === 'browser')) {
        const time = test.results.reduce((sum, result) => sum + result.duration, 0) / 1000
        sums.set(`e2e/${spec.file}`, (sums.get(`e2e/${spec.file}`) ?? 0) + time)
      }
    suite.suites?.forEach(add)
  }
  read(storyReport, 'e2e.json').suites.forEach(add)
  return [...sums]
}

/** Reports of another clone name its files. */
function inClone(file) {
  const found = /(?:src|scripts|bench)\/.*/.exec(relative(root, file))
  return found?.[0] ?? file
}

const sorted = (entries) =>
  Object.fromEntries(entries.map(([file, time]) => [file, Math.ceil(time)]).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(table, JSON.stringify({ unit: sorted(unitSeconds()), story: sorted(storySeconds()) }))
await capture(nodeBinary(), [join(nodeModules, 'oxfmt', 'bin', 'oxfmt'), table])
