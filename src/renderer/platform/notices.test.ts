import { beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { notify, notifyFailure, showNoticeList, hideToast, useNotices } from './notices.ts'

beforeEach(() => useNotices.setState({ notices: [], unread: 0, listOpen: false }))

describe('notices', () => {
  it('say a failure in its own words, with the next step', () => {
    notifyFailure(new ToolError('not_found', 'a.ts is not there.', 'Look in src.'), 'The file was not opened')
    expect(useNotices.getState().notices[0]).toMatchObject({
      level: 'error',
      message: 'The file was not opened: a.ts is not there.',
      detail: 'Look in src.',
      toast: true,
    })
  })

  it('do not speak of what the user cancelled', () => {
    notifyFailure(new ToolError('cancelled', 'Stopped.'))
    expect(useNotices.getState().notices).toEqual([])
  })

  it('are shown once when the same is said again', () => {
    notify('error', 'No connection')
    notify('error', 'No connection')
    expect(useNotices.getState()).toMatchObject({ unread: 1, notices: [{ message: 'No connection' }] })
  })

  it('stay in the list after their toast is gone', () => {
    notify('warning', 'Careful')
    hideToast(useNotices.getState().notices[0]?.id ?? -1)
    expect(useNotices.getState().notices).toMatchObject([{ toast: false }])
    showNoticeList(true)
    expect(useNotices.getState().unread).toBe(0)
  })
})
