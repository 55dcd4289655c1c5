import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LocatedPath } from '../../shared/files/files.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useApp } from '../platform/appState.ts'
import { handleCommand } from '../platform/commands.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { planDrop, registerDrop } from './drop.ts'
import { openRecent } from './openFolder.ts'

const folder = (path: string): LocatedPath => ({ path, kind: 'folder', inWorkspace: null })
const file = (path: string, inWorkspace: string | null = null): LocatedPath => ({ path, kind: 'file', inWorkspace })

describe('a drop from the file manager', () => {
  it('opens a folder', () =>
    expect(planDrop([folder('/code/a')], true)).toEqual({ folder: '/code/a', files: [], notices: [] }))

  it('opens the first of several folders, and reports the others', () => {
    expect(planDrop([file('/x.txt'), folder('/code/a'), folder('/code/b')], true)).toEqual({
      folder: '/code/a',
      files: [],
      notices: [
        {
          message: 'Opened a and skipped 2 other items.',
          detail: 'To show several folders, drop them on the explorer.',
        },
      ],
    })
    expect(planDrop([folder('/code/a/'), folder('/code/b')], false).notices[0]?.message).toBe(
      'Opened a and skipped 1 other item.',
    )
  })

  it('opens files in tabs, also those outside the open folder', () => {
    expect(planDrop([file('/w/a.txt', 'a.txt'), file('/x/b.txt')], true)).toEqual({
      folder: null,
      files: ['a.txt', 'outside:///x/b.txt'],
      notices: [],
    })
  })

  it('opens files without an open folder by their absolute paths, and reports missing files', () => {
    const plan = planDrop([file('/x/b.txt'), { path: '/x/c', kind: 'missing', inWorkspace: null }], false)
    expect(plan.files).toEqual(['/x/b.txt'])
    expect(plan.notices.map(({ message }) => message)).toEqual(['c could not be found.'])
  })
})

describe('a drop on the window', () => {
  let main: TestMain
  let stop: () => void
  beforeEach(() => {
    main = testMain()
    clearNotices()
    // The subset that these modules read.
    useApp.setState({ state: { workspace: { root: '/w', name: 'w' }, home: '/home/me' } as AppState })
    stop = registerDrop()
  })
  afterEach(() => stop())

  function drop(types: string[], files: File[]): Event {
    const event = Object.assign(new Event('drop', { bubbles: true, cancelable: true }), {
      dataTransfer: { types, files },
    })
    document.body.dispatchEvent(event)
    return event
  }

  it('is ignored if a component handled it or it contains no files', () => {
    const take = (event: Event): void => event.preventDefault()
    document.body.addEventListener('drop', take)
    drop(['Files'], [new File([''], 'a.png')])
    document.body.removeEventListener('drop', take)
    expect(drop(['application/x-tizona-path'], []).defaultPrevented).toBe(false)
    expect(main.requests).toEqual([])
    expect(useNotices.getState().notices).toEqual([])
  })

  it('opens nothing for items without a path, and does not navigate the page', async () => {
    expect(drop(['Files'], [new File([''], 'made.txt')]).defaultPrevented).toBe(true)
    await expect
      .poll(() => useNotices.getState().notices.map(({ message }) => message))
      .toEqual(['The dropped items cannot be opened here.'])
  })

  it('without an open folder passes the files to the command that opens them', async () => {
    useApp.setState({ state: { workspace: null, home: '/home/me' } as AppState })
    vi.stubGlobal('tizona', { pathOf: () => '/x/b.txt' })
    main.responses['files.locate'] = () => [file('/x/b.txt')]
    const opened = vi.fn<(paths: unknown) => void>()
    const unregister = handleCommand('file.open', opened)
    drop(['Files'], [new File([''], 'b.txt')])
    await expect.poll(() => opened.mock.calls).toEqual([[['/x/b.txt']]])
    unregister()
    vi.unstubAllGlobals()
  })

  it('a missing recent folder is not opened, and can be removed from the list', async () => {
    main.responses['files.locate'] = () => [{ path: '/home/me/gone', kind: 'missing', inWorkspace: null }]
    await openRecent('/home/me/gone')
    const [notice] = useNotices.getState().notices
    expect(notice).toMatchObject({ level: 'warning', message: '~/gone no longer exists.' })
    expect(main.requests.map(({ method }) => method)).toEqual(['files.locate'])
    notice?.actions[0]?.run()
    expect(main.requests.at(-1)).toEqual({ method: 'workspace.forgetRecent', params: { path: '/home/me/gone' } })
  })
})
