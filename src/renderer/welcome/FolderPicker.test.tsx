import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppState } from '../../shared/bridge/appState.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useApp } from '../platform/appState.ts'
import { FolderPicker, startListing } from './FolderPicker.tsx'
import { useFolderPicker } from '../platform/files/folderPicker.ts'

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

it('a first listing that arrives late does not replace a path that the user typed', async () => {
  known(null, [])
  const listing = Promise.withResolvers<{ path: string; folders: [] }>()
  main.responses['folders.list'] = () => listing.promise
  render(<FolderPicker />)
  act(() =>
    useFolderPicker.setState({ question: { title: 'Open folder', action: 'Open', choose: async () => undefined } }),
  )
  const field = screen.getByRole<HTMLInputElement>('textbox')
  fireEvent.change(field, { target: { value: '/work/typed' } })
  await act(async () => {
    listing.resolve({ path: '/home/me', folders: [] })
    await listing.promise
  })
  // The answer of the fake main process takes a few more microtasks.
  await act(() => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(field.value).toBe('/work/typed')
  act(() => useFolderPicker.setState({ question: null }))
})
