import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

/**
 * Seconds that slow test files took, of unit tests with all workers busy and of stories. recordDurations.mjs writes it.
 * @typedef {{ unit: Record<string, number>, story: Record<string, number> }} Durations
 */

/** Seconds of slow test files that `npm test` runs, so that it ends within ten minutes on two cores. */
const budgets = { unit: 260, story: 60 }

/** Stories that every run plays: the whole product on one path, and the one with a real model. */
const always = ['e2e/tour.spec.ts', 'e2e/smallModel.spec.ts', 'e2e/folder.spec.ts']

const hash = (text) => createHash('sha256').update(text).digest('hex')

/** @returns {Durations} */
export function readDurations() {
  return JSON.parse(readFileSync(join(root, 'scripts', 'testing', 'durations.json'), 'utf8'))
}

/**
 * Divides the slow test files of a kind: a seeded choice that fits the budget runs, the rest is left out. Another seed
 * chooses others, so that a few runs cover all.
 * @param {'unit' | 'story'} kind
 * @param {string | undefined} seed without one nothing is left out
 * @returns {string[]} paths in the clone, sorted
 */
export function leftOut(kind, seed = process.env.TIZONA_TEST_SHARE, durations = readDurations()) {
  if (!seed) return []
  const order = new Map(Object.keys(durations[kind]).map((file) => [file, hash(`${seed} ${file}`)]))
  const files = [...order.keys()]
    .filter((file) => !always.includes(file))
    .toSorted((a, b) => (order.get(a) < order.get(b) ? -1 : 1))
  let left = budgets[kind]
  // The first one always fits, so that each file has its turn.
  return files.filter((file, index) => (left -= durations[kind][file]) < 0 && index > 0).toSorted()
}

/**
 * Returns the seed of `npm test`: TIZONA_TEST_SHARE, or the commit, so that each commit tests other files.
 * @returns {string}
 */
export function shareSeed() {
  const commit = () =>
    spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim()
  return process.env.TIZONA_TEST_SHARE || commit() || 'no commit'
}

/** Returns what the share of a kind leaves out, for the summary. @returns {{ count: number, why: string }[]} */
export function leftOutNote(kind, what, seed = process.env.TIZONA_TEST_SHARE) {
  const count = leftOut(kind, seed).length
  const why = `${what}: each run tests a share of the slow ones, here "${seed}"; TIZONA_TEST_SHARE=… selects another, npm test -- --all runs all`
  return count === 0 ? [] : [{ count, why }]
}
