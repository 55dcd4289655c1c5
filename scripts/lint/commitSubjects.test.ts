import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { badCommits, subjectProblem } from './commitSubjects.mjs'

it.each([
  ['git: a branch of another worktree can be merged', null],
  ['model check, docs: one word', null],
  ['Revert "git: a branch of another worktree can be merged, and more words after it"', null],
  [`git: ${'a'.repeat(68)}`, 'has 73 characters'],
  ['Fix a bug', 'is not of the form'],
  ['git:', 'is not of the form'],
  ['git: one change; another', 'joins two changes'],
])('checks the subject %s', (subject, problem) => {
  if (problem === null) expect(subjectProblem(subject)).toBeNull()
  else expect(subjectProblem(subject)).toContain(problem)
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tizona-subjects-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Makes a repository with one commit per subject. The first is the last one that is not checked. */
function repository(subjects: string[]) {
  const folder = temporary()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  git('init', '-q')
  for (const subject of subjects) git(...identity, 'commit', '-q', '--allow-empty', '-m', subject)
  const root = git('rev-list', '--max-parents=0', 'HEAD')
  return { folder, start: { commit: root, date: '2000-01-01T00:00:00Z' } }
}

it('reports bad subjects after the start, and no older ones', () => {
  const { folder, start } = repository(['Old style', 'git: good', 'Bad subject'])
  expect(badCommits(folder, start)).toEqual([expect.stringMatching(/^\w+ Bad subject\n.*area: what changed/)])
})

it('checks a shallow clone that lacks the start', () => {
  const { folder, start } = repository(['Old style', 'git: good', 'Bad subject'])
  const shallow = join(temporary(), 'clone')
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${folder}`, shallow])
  expect(badCommits(shallow, start)).toHaveLength(1)
  expect(badCommits(shallow, { ...start, date: '2090-01-01T00:00:00Z' })).toEqual([])
})

it('checks nothing in another history, and without a repository', () => {
  expect(badCommits(repository(['Bad subject']).folder)).toEqual([])
  expect(badCommits(temporary())).toEqual([])
})
