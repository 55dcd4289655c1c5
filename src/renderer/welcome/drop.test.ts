import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LocatedPath } from '../../shared/files.ts'
import type { AppState } from '../../shared/protocol.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useApp } from '../platform/appState.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { planDrop, registerDrop } from './drop.ts'
import { openRecent } from './openFolder.ts'

const folder = (path: string): LocatedPath => ({ path, kind: 'folder', inWorkspace: null })
const file = (path: string, inWorkspace: string | null = null): LocatedPath => ({ path, kind: 'file', inWorkspace })

describe('what is dropped from the file manager', () => {
  it('a folder is opened', () =>
    expect(planDrop([folder('/code/a')], true)).toEqual({ folder: '/code/a', files: [], notices: [] }))

  it('of several folders the first is opened, and the rest is named', () => {
    expect(planDrop([file('/x.txt'), folder('/code/a'), folder('/code/b')], true)).toEqual({
      folder: '/code/a',
      files: [],
      notices: [{ message: 'a is opened, 2 other items are not.', detail: 'A window shows one folder.' }],
    })
    expect(planDrop([folder('/code/a/'), folder('/code/b')], false).notices[0]?.message).toBe(
      'a is opened, 1 other item is not.',
    )
  })

  it('files of the open folder become tabs; others are named with what to do', () => {
    expect(planDrop([file('/w/a.txt', 'a.txt'), file('/x/b.txt')], true)).toEqual({
      folder: null,
      files: ['a.txt'],
      notices: [
        {
          message: 'b.txt is not in the open folder.',
          detail: 'Drop the folder that contains it, or use File > Open folder.',
        },
      ],
    })
  })

  it('without an open folder and for what is gone it says so', () => {
    const { notices } = planDrop([file('/x/b.txt'), { path: '/x/c', kind: 'missing', inWorkspace: null }], false)
    expect(notices.map(({ message }) => message)).toEqual([
      'c could not be found.',
      'No folder is open, so b.txt cannot be edited.',
    ])
  })
})

describe('in the window', () => {
  let main: TestMain
  let stop: () => void
  beforeEach(() => {
    main = testMain()
    clearNotices()
    useApp.setState({ state: { workspace: { root: '/w', name: 'w' }, home: '/home/me' } as AppState }) // Only what these parts read.
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

  it('a drop that a part of the window took, or that holds no files, is left alone', () => {
    const take = (event: Event): void => event.preventDefault()
    document.body.addEventListener('drop', take)
    drop(['Files'], [new File([''], 'a.png')])
    document.body.removeEventListener('drop', take)
    expect(drop(['application/x-tizona-path'], []).defaultPrevented).toBe(false)
    expect(main.requests).toEqual([])
    expect(useNotices.getState().notices).toEqual([])
  })

  it('what has no path is not opened, and the page stays', async () => {
    expect(drop(['Files'], [new File([''], 'made.txt')]).defaultPrevented).toBe(true)
    await expect
      .poll(() => useNotices.getState().notices.map(({ message }) => message))
      .toEqual(['The dropped items cannot be opened here.'])
  })

  it('a recent folder that is gone is not opened, and can be removed from the list', async () => {
    main.responses['files.locate'] = () => [{ path: '/home/me/gone', kind: 'missing', inWorkspace: null }]
    await openRecent('/home/me/gone')
    const [notice] = useNotices.getState().notices
    expect(notice).toMatchObject({ level: 'warning', message: '~/gone does not exist any more.' })
    expect(main.requests.map(({ method }) => method)).toEqual(['files.locate'])
    notice?.actions[0]?.run()
    expect(main.requests.at(-1)).toEqual({ method: 'workspace.forgetRecent', params: { path: '/home/me/gone' } })
  })
})
