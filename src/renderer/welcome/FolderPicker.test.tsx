import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppState } from '../../shared/protocol.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useApp } from '../platform/appState.ts'
import { startListing } from './FolderPicker.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['folders.list'] = ({ path }) => {
    if (path === '/gone') throw new Error('It is not there.')
    return { path: path ?? '/home/me', folders: [] }
  }
})
afterEach(cleanup)

function known(root: string | null, recents: string[]): void {
  // The subset of the state that the picker reads.
  useApp.setState({ state: { workspace: root === null ? null : { root }, recents } as AppState })
}

it('the folder picker starts in the parent of the open or most recent folder', async () => {
  known('/work/open', ['/code/recent'])
  expect((await startListing()).path).toBe('/work')
  known(null, ['/code/recent'])
  expect((await startListing()).path).toBe('/code')
})

it('the folder picker starts in the home folder if no folder was opened before', async () => {
  known(null, [])
  expect((await startListing()).path).toBe('/home/me')
  known(null, ['/gone/project'])
  expect((await startListing()).path).toBe('/home/me')
})
