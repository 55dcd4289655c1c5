import { beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { testMain } from '../testing/testMain.ts'
import { followNotices, notify, notifyFailure, showNoticeList, hideToast, useNotices } from './notices.ts'

beforeEach(() => useNotices.setState({ notices: [], unread: 0, listOpen: false }))

describe('notices', () => {
  it('show the message of a failure and the next step', () => {
    notifyFailure(new ToolError('not_found', 'a.ts is not there.', 'Look in src.'), 'The file was not opened')
    expect(useNotices.getState().notices[0]).toMatchObject({
      level: 'error',
      message: 'The file was not opened: a.ts is not there.',
      detail: 'Look in src.',
      toast: true,
    })
  })

  it('open the page that they are about', () => {
    const main = testMain()
    const stop = followNotices()
    main.emit('notice', { level: 'info', message: 'A new version', url: 'https://tizona.example/2' })
    main.emit('notice', { level: 'info', message: 'Nothing to open' })
    stop()
    const [withPage, without] = useNotices.getState().notices
    expect(without?.actions).toEqual([])
    expect(withPage?.actions.map(({ label }) => label)).toEqual(['Open page'])
    withPage?.actions[0]?.run()
    expect(main.requests).toMatchObject([{ method: 'app.openExternal', params: { url: 'https://tizona.example/2' } }])
  })

  it('are not shown for cancellations', () => {
    notifyFailure(new ToolError('cancelled', 'Stopped.'))
    expect(useNotices.getState().notices).toEqual([])
  })

  it('are shown once if they are repeated', () => {
    notify('error', 'No connection')
    notify('error', 'No connection')
    expect(useNotices.getState()).toMatchObject({ unread: 1, notices: [{ message: 'No connection' }] })
  })

  it('stay in the list after their toast is hidden', () => {
    notify('warning', 'Careful')
    hideToast(useNotices.getState().notices[0]?.id ?? -1)
    expect(useNotices.getState().notices).toMatchObject([{ toast: false }])
    showNoticeList(true)
    expect(useNotices.getState().unread).toBe(0)
  })
})
