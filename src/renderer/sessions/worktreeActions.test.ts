import { expect, it, vi } from 'vitest'
import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { useConfirm, type ConfirmRequest } from '../platform/confirm.ts'
import { useTextPrompt } from '../platform/conversation/promptText.ts'
import { useNotices } from '../platform/notices.ts'
import { useQuickPick } from '../platform/quickPick/quickPick.ts'
import { testMain } from '../testing/testMain.ts'
import { newSession, pickSession } from './worktreeActions.ts'

const summary: SessionSummary = {
  id: 'id',
  name: 'one',
  worktree: '/w/one',
  branch: 'tizona/one',
  createdAt: 0,
  archived: false,
  state: 'ready',
  inUse: false,
  changed: [],
  hasWork: false,
  ignored: 0,
}

/** Answers the dialog that opens. @returns what it showed */
async function answerConfirm(choice: string | null): Promise<ConfirmRequest> {
  const pending = await vi.waitUntil(() => useConfirm.getState().pending)
  pending.answer(choice)
  return pending.request
}

async function removeSession(
  session: SessionSummary,
  ref: string | null = null,
): Promise<{ message: string; notice: string }> {
  useNotices.setState({ notices: [] })
  const { responses } = testMain()
  responses['sessions.list'] = () => [session]
  responses['sessions.remove'] = () => ref
  const done = pickSession()
  for (const id of ['id', 'remove']) {
    const open = await vi.waitUntil(() => useQuickPick.getState().open)
    const { items } = open.options
    open.answer(typeof items === 'function' ? null : (items.find((item) => item.id === id) ?? null))
    await vi.waitUntil(() => useQuickPick.getState().open !== open)
  }
  const { message } = await answerConfirm('remove')
  await done
  const notice = await vi.waitUntil(() => useNotices.getState().notices.at(-1))
  return { message, notice: `${notice.message} ${notice.detail ?? ''}`.trim() }
}

it('shows line breaks and hidden characters of the set-up command', async () => {
  testMain().responses['sessions.setUpCommand'] = () => ({ command: 'npm ci\nrm \u202ex', approved: false })
  const done = newSession()
  const prompt = await vi.waitUntil(() => useTextPrompt.getState().pending)
  prompt.answer('')
  const { items } = await answerConfirm(null)
  await done
  expect(items).toEqual(['npm ci\u240arm \\u202ex'])
})

it('says what a removal keeps', async () => {
  expect(await removeSession(summary)).toEqual({
    message: 'All its work is also elsewhere.',
    notice: 'Removed the session "one".',
  })
})

it('names the number of ignored files that a removal deletes', async () => {
  expect((await removeSession({ ...summary, ignored: 3 })).message).toBe(
    'All its work is also elsewhere. 3 other files that git ignores, such as build output, will be deleted.',
  )
})

it('names what is kept without a reference', async () => {
  expect((await removeSession({ ...summary, hasWork: true })).notice).toMatch(/files that git ignores are kept/)
})

it('offers a branch if git keeps the work', async () => {
  const { notice } = await removeSession({ ...summary, hasWork: true }, 'refs/tizona/kept/one')
  expect(notice).toMatch(/git branch one refs\/tizona\/kept\/one$/)
})
