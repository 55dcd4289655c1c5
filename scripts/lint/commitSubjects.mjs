import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/*
 * Reports new commits whose subject breaks the rule of CONTRIBUTING.md. `npm run lint` and `npm test` run it. Without
 * git, and in a copy with another history, there is nothing to check.
 */

/** Older commits are not checked. */
const start = { commit: '86e57540937c6750f43ad3e62182f01e36562efa', date: '2026-11-28T22:11:02Z' }

/** Returns what is wrong with a subject, or null. */
export function subjectProblem(subject) {
  // Git writes these.
  if (subject.startsWith('Revert "')) return null
  if (subject.length > 72) return `has ${subject.length} characters, at most 72 are allowed`
  if (!/^[a-z][\w ,./-]*: \S/.test(subject)) return 'is not of the form "area: what changed"'
  if (subject.includes(';')) return 'joins two changes by a semicolon; make two commits'
  return null
}

/**
 * Returns a line for each commit after `start` with a bad subject.
 * @param {string} folder any folder of the repository
 */
export function badCommits(folder, { commit, date } = start) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : null
  }
  const known = git('merge-base', '--is-ancestor', commit, 'HEAD') !== null
  // A shallow clone may lack the commit. It is checked as far as it reaches.
  if (!known && git('rev-parse', '--is-shallow-repository') !== 'true') return []
  const range = known ? [`${commit}..HEAD`] : [`--since=${date}`, 'HEAD']
  const commits = git('log', '--no-merges', '--format=%h %s', ...range) ?? ''
  return commits.split('\n').flatMap((line) => {
    const subject = line.slice(line.indexOf(' ') + 1)
    const problem = line === '' ? null : subjectProblem(subject)
    return problem === null ? [] : [`${line}\n  This subject ${problem}.`]
  })
}

if (import.meta.main) {
  const problems = badCommits(join(import.meta.dirname, '..', '..'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
