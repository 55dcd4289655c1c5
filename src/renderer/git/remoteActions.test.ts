import { beforeEach, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { GitFailureReason } from '../../shared/git/git.ts'
import { useConfirm } from '../platform/confirm.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useTextPrompt } from '../platform/conversation/promptText.ts'
import { renameBranch } from './branchActions.ts'
import { branchNameProblem } from './branchName.ts'
import { fetchRemotes, pull, push } from './remoteActions.ts'
import { switchTo } from './switchBranch.ts'
import { showStatus, testStatus } from './testing/status.ts'

let main: TestMain
const upstream = { name: 'origin/main', ahead: 1, behind: 2, gone: false }

beforeEach(() => {
  main = testMain()
  showStatus(testStatus({}, { upstream }))
  useConfirm.setState({ pending: null })
  clearNotices()
  main.responses['git.status'] = () => testStatus({}, { upstream })
})

const failing = (reason: GitFailureReason) => () => {
  throw new ToolError('conflict', 'Git refused.', '', { reason })
}
const actions = () => useNotices.getState().notices.at(-1)?.actions ?? []
const sent = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)

it('a rejected push offers to pull, and forces only after a confirmation that counts the lost commits', async () => {
  main.responses['git.push'] = failing('push_rejected')
  await push('/r')
  expect(actions().map(({ label }) => label)).toEqual(['Pull', 'Force push…'])
  actions()[1]?.run()
  await expect.poll(() => useConfirm.getState().pending?.request.message).toContain('removes 2 commits')
  expect(sent('git.push')).toHaveLength(1)
  main.responses['git.push'] = () => testStatus()
  useConfirm.getState().pending?.answer('force')
  await expect.poll(() => sent('git.push').at(-1)).toMatchObject({ force: true })
})

it('a pull of a branch with commits on both sides offers to merge or rebase', async () => {
  main.responses['git.pull'] = failing('diverged')
  await pull('/r')
  expect(actions().map(({ label }) => label)).toEqual(['Merge', 'Rebase'])
  main.responses['git.pull'] = () => testStatus()
  actions()[1]?.run()
  await expect.poll(() => sent('git.pull').at(-1)).toMatchObject({ strategy: 'rebase' })
})

it('without an upstream, a push publishes the branch to the only remote', async () => {
  showStatus(testStatus())
  main.responses['git.references'] = () => ({
    local: [],
    remote: [],
    tags: [],
    remotes: [{ name: 'origin', url: 'https://git.example.org/r.git' }],
    truncated: false,
  })
  main.responses['git.push'] = () => testStatus({}, { upstream })
  await push('/r')
  expect(sent('git.push')).toMatchObject([{ remote: 'origin', setUpstream: true }])
})

it('a refused password can be tried again', async () => {
  main.responses['git.fetch'] = failing('authentication_failed')
  await fetchRemotes('/r')
  expect(actions().map(({ label }) => label)).toEqual(['Try again'])
  main.responses['git.fetch'] = () => testStatus()
  actions()[0]?.run()
  await expect.poll(() => sent('git.fetch')).toHaveLength(2)
})

it('commits that a detached HEAD leaves behind are offered a branch', async () => {
  const commit = '12345678'.repeat(5)
  main.responses['git.switch'] = () => ({ status: testStatus(), leftBehind: { commit, count: 2 } })
  await switchTo('/r', { target: 'main' })
  expect(useNotices.getState().notices.at(-1)).toMatchObject({ message: '2 commits are not on any branch.' })
  actions()[0]?.run()
  await expect.poll(() => useTextPrompt.getState().pending?.prompt.label).toBe('Branch name (created from 12345678)')
  main.responses['git.createBranch'] = () => testStatus()
  useTextPrompt.getState().pending?.answer('kept')
  await expect.poll(() => sent('git.createBranch')).toMatchObject([{ name: 'kept', from: commit, switch: true }])
})

it('a branch is renamed, not to a name that exists, and the notice renames it back', async () => {
  const branch = { commit: '1', subject: 's', committedAt: 1 }
  main.responses['git.references'] = () => ({
    local: [
      { ...branch, name: 'main', current: true },
      { ...branch, name: 'next', current: false },
    ],
    remote: [],
    tags: [],
    remotes: [],
    truncated: false,
  })
  main.responses['git.renameBranch'] = () => testStatus()
  const renamed = renameBranch(testStatus({}, { upstream }))
  await expect.poll(() => useTextPrompt.getState().pending?.prompt.initial).toBe('main')
  const { prompt, answer } = useTextPrompt.getState().pending ?? {}
  expect(prompt?.problem('next')).toBe('A branch named next already exists.')
  expect(prompt?.problem('main')).toBeNull()
  answer?.('trunk')
  await renamed
  expect(useNotices.getState().notices.at(-1)).toMatchObject({
    message: 'Renamed branch main to trunk.',
    detail: 'The remote branch origin/main keeps its name.',
  })
  actions()[0]?.run()
  await expect
    .poll(() => sent('git.renameBranch'))
    .toMatchObject([
      { name: 'main', to: 'trunk' },
      { name: 'trunk', to: 'main' },
    ])
})

it.each([
  ['feature/one', null],
  ['', 'Enter a name.'],
  ['two words', 'A name cannot contain spaces or any of ~ ^ : ? * [ \\.'],
  ['a..b', 'A name cannot contain "..", "@{" or "//".'],
  ['-x', 'A name cannot start with "-" or "/", or end with "/" or ".".'],
  ['a/.b', 'No part of a name can start with "." or end with ".lock".'],
])('checks the branch name %j', (name, problem) => {
  expect(branchNameProblem(name)).toBe(problem)
})
