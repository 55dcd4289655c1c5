import { beforeEach, expect, it, vi } from 'vitest'
import type { GitBranch } from '../../shared/git/git.ts'
import { useQuickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { testMain } from '../testing/testMain.ts'
import { compareBranch, deleteBranch, mergeBranch } from './branchActions.ts'
import { pickBranch } from './switchBranch.ts'
import { testStatus } from './testing/status.ts'

const branch = (name: string, more: Partial<GitBranch> = {}): GitBranch => ({
  name,
  commit: '0123456789',
  subject: `Subject of ${name}`,
  committedAt: 0,
  current: false,
  ...more,
})

beforeEach(() => {
  testMain().responses['git.references'] = () => ({
    local: [branch('main', { current: true }), branch('side', { worktree: '/w/tree' })],
    remote: [],
    tags: [],
  })
})

/** Returns the row of the branch `side` in the picker that an action opens. */
async function rowOfSide(action: (status: ReturnType<typeof testStatus>) => Promise<void>): Promise<QuickPickItem> {
  const done = action(testStatus())
  const open = await vi.waitUntil(() => useQuickPick.getState().open)
  open.answer(null)
  await done
  const { items } = open.options
  return vi.waitUntil(() => typeof items !== 'function' && items.find(({ label }) => label === 'side'))
}

it('a branch that another worktree has checked out can be merged and compared', async () => {
  for (const action of [mergeBranch, compareBranch]) {
    const side = await rowOfSide(action)
    expect(side).toMatchObject({ description: '01234567 Subject of side' })
    expect(side.disabled).toBeUndefined()
  }
})

it('a branch that another worktree has checked out is not switched to or deleted, and its row says why', async () => {
  for (const action of [pickBranch, deleteBranch])
    expect(await rowOfSide(action)).toMatchObject({
      disabled: true,
      description: 'Checked out in the worktree /w/tree',
    })
})
