import { beforeEach, describe, expect, it } from 'vitest'
import { defaultLayout, useLayout } from '../platform/layout/layoutStore.ts'
import { useConfirm } from '../platform/confirm.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { commit, prepareCommit, setMessage, stage } from './gitActions.ts'
import { showStatus, testStatus } from './testing/status.ts'

let main: TestMain
beforeEach(() => {
  main = testMain()
  useLayout.setState(defaultLayout, true)
  clearNotices()
})
const sent = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)
const messages = () => useLayout.getState().git.messages

it('a commit waits for a file that is being staged', async () => {
  const unstaged = testStatus({ changes: [{ path: 'a.ts', kind: 'modified' }] })
  showStatus(unstaged)
  setMessage('/r', 'Change a')
  const staged = testStatus({ staged: [{ path: 'a.ts', kind: 'modified' }] })
  main.responses['git.stage'] = () => staged
  main.responses['git.commit'] = () => ({ hash: '1', status: testStatus() })
  stage('/r', [{ from: 'changes', change: { path: 'a.ts', kind: 'modified' } }])
  await commit(unstaged)
  expect(useConfirm.getState().pending).toBeNull()
  expect(sent('git.commit')).toMatchObject([{ message: 'Change a' }])
})

describe('preparing a commit', () => {
  beforeEach(() => {
    const status = testStatus({
      changes: [{ path: 'a.ts', kind: 'modified' }],
      untracked: [{ path: 'new.ts', kind: 'untracked' }],
    })
    showStatus(status)
    main.responses['git.status'] = () => status
    main.responses['git.stage'] = () => testStatus({ staged: [{ path: 'a.ts', kind: 'modified' }] })
    main.responses['git.draftMessage'] = () => 'Change a'
  })

  it('stages the files that git lists, shows the view and drafts a message', async () => {
    await prepareCommit(['a.ts', 'new.ts', 'dist/ignored.js'])
    expect(sent('git.stage')).toMatchObject([{ repository: '/r', paths: ['a.ts', 'new.ts'] }])
    expect(useLayout.getState().sideBar).toMatchObject({ visible: true, view: 'git' })
    expect(messages()).toEqual({ '/r': 'Change a' })
  })

  it('keeps a message that the user typed', async () => {
    setMessage('/r', 'Mine')
    await prepareCommit(['a.ts'])
    expect(sent('git.draftMessage')).toEqual([])
    expect(messages()).toEqual({ '/r': 'Mine' })
  })

  it('explains that no file has changes to commit', async () => {
    await prepareCommit(['dist/ignored.js'])
    expect(sent('git.stage')).toEqual([])
    expect(useNotices.getState().notices.at(-1)?.message).toBe('The files have no changes to commit.')
  })
})
