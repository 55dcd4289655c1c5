import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createElement } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import type { AppState } from '../../shared/bridge/appState.ts'
import { testMain } from '../testing/testMain.ts'
import { useSearch } from '../search/searchStore.ts'
import { useTree } from '../explorer/fileTree.ts'
import { currentWorkspace, folderChange, followAppState, refreshApp, useApp } from '../platform/appState.ts'
import { StartFailure } from './Connection.tsx'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { fileTab, previewTab } from '../platform/editor/tabsState.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { followLayout, useRestoredFolder } from './layoutPersistence.ts'

let stops: (() => void)[] = []
afterEach(() => {
  cleanup()
  stops.splice(0).forEach((stop) => stop())
})

it('a folder is shown only when its layout, with panel sizes, is restored', async () => {
  const main = testMain()
  const sizes = { main: { centre: 60 } }
  const layout = {
    sideBar: { visible: false, view: 'search' },
    panel: { visible: true },
    chat: { visible: true },
    sizes,
  }
  main.responses['layout.load'] = () => JSON.stringify({ version: 1, layout, groups: [], activeGroup: 0, expanded: [] })
  main.responses['buffers.list'] = () => []
  main.responses['files.list'] = () => []
  // The subset of the state that restoring a layout reads.
  main.responses['app.state'] = () => ({ workspace: { root: '/w', name: 'w' } }) as AppState
  const known: unknown[] = []
  stops = [
    useRestoredFolder.subscribe(({ root }) => known.push(root === null ? null : useLayout.getState().sizes)),
    followLayout(),
  ]
  await refreshApp()
  await expect.poll(() => useRestoredFolder.getState().root).toBe('/w')
  expect(known[0]).toEqual({ main: { centre: 60 } })
  expect(useLayout.getState().sideBar).toEqual({ visible: false, view: 'search' })
})

/** Main with a folder open. */
function mainWith(root: string) {
  const main = testMain()
  main.responses['layout.load'] = () => null
  main.responses['buffers.list'] = () => []
  main.responses['files.list'] = () => []
  // The subset of the state that restoring a layout reads.
  main.responses['app.state'] = () => ({ workspace: { root, name: root } }) as AppState
  return main
}

it('a change is saved after a fixed delay, even if more changes follow', async () => {
  const main = mainWith('/saved')
  stops = [followLayout()]
  await refreshApp()
  await expect.poll(() => useRestoredFolder.getState().root).toBe('/saved')
  vi.useFakeTimers()
  stops.push(() => vi.useRealTimers())
  main.requests.length = 0
  const type = (query: string) => useSearch.setState(({ options }) => ({ options: { ...options, query } }))
  for (const query of ['n', 'ne', 'nee', 'need', 'needl']) {
    type(query)
    await vi.advanceTimersByTimeAsync(40)
  }
  const saved = () =>
    main.requests.flatMap(({ method, params }) =>
      method === 'layout.save'
        ? [(JSON.parse((params as { layout: string }).layout) as { search: { query: string } }).search.query]
        : [],
    ) // Written by serializeLayout.
  expect(saved()[0]).toBe('nee')
  await vi.advanceTimersByTimeAsync(100)
  expect(saved().at(-1)).toBe('needl')
  type('needle')
  dispatchEvent(new Event('beforeunload'))
  expect(saved().at(-1)).toBe('needle')
})

it('previews of files are restored, also the one that the next click replaces', async () => {
  const main = mainWith('/previews')
  stops = [followLayout()]
  await refreshApp()
  await expect.poll(() => useRestoredFolder.getState().root).toBe('/previews')
  const tabs = [fileTab('a.md'), previewTab('a.md', 'markdown'), previewTab('b.png', 'image')]
  const [, markdown, image] = tabs.map(({ id }) => id)
  useTabs.setState({ groups: [{ id: 1, tabs, active: markdown ?? null, preview: image ?? null }], activeGroup: 1 })
  dispatchEvent(new Event('beforeunload'))
  const saved = main.requests.findLast(({ method }) => method === 'layout.save')
  stops.splice(0).forEach((stop) => stop())

  main.responses['layout.load'] = () => (saved?.params as { layout: string } | undefined)?.layout // Written by serializeLayout.
  main.responses['app.state'] = () => ({ workspace: { root: '/again', name: 'again' } }) as AppState
  stops = [followLayout()]
  await refreshApp()
  await expect.poll(() => useRestoredFolder.getState().root).toBe('/again')
  expect(useTabs.getState().groups).toEqual([expect.objectContaining({ tabs, active: markdown, preview: image })])
})

it('the response to the latest state request wins, even if it arrives first', async () => {
  const main = mainWith('/first')
  useApp.setState({ state: null })
  const first = Promise.withResolvers<AppState>()
  const second = Promise.withResolvers<AppState>()
  const answers = [first, second]
  main.responses['app.state'] = () => answers.shift()?.promise
  const refreshed = [refreshApp(), refreshApp()]
  second.resolve({ workspace: { root: '/second', name: 'b' } } as AppState)
  await refreshed[1]
  first.resolve({ workspace: { root: '/first', name: 'a' } } as AppState)
  await refreshed[0]
  expect(useApp.getState().state?.workspace?.root).toBe('/second')
})

it('a layout that arrives after another folder was opened is not applied', async () => {
  const main = mainWith('/slow')
  const slow = Promise.withResolvers<string | null>()
  const layouts = [slow.promise, Promise.resolve(null)]
  main.responses['layout.load'] = () => layouts.shift()
  const known: (string | null)[] = []
  stops = [useRestoredFolder.subscribe(({ root }) => known.push(root)), followLayout()]
  await refreshApp()
  main.responses['app.state'] = () => ({ workspace: { root: '/quick', name: 'quick' } }) as AppState
  await refreshApp()
  await expect.poll(() => useRestoredFolder.getState().root).toBe('/quick')
  const before = useLayout.getState()
  slow.resolve(
    JSON.stringify({
      version: 1,
      layout: { sideBar: { visible: false, view: 'search' } },
      groups: [],
      activeGroup: 0,
      expanded: [],
    }),
  )
  await new Promise((resolve) => {
    setTimeout(resolve)
  })
  expect(useLayout.getState()).toBe(before)
  expect(known.at(-1)).toBe('/quick')
})

it('a window whose first state request fails shows the reason and can retry', async () => {
  const main = mainWith('/again')
  useApp.setState({ state: null })
  const answer = main.responses['app.state']
  main.responses['app.state'] = () => {
    throw new Error('The store cannot be read.')
  }
  stops = [followAppState()]
  main.emit('workspace.changed', null)
  await expect.poll(() => useApp.getState().failure?.message).toBe('The store cannot be read.')
  main.responses['app.state'] = answer
  const failure = useApp.getState().failure
  if (failure) render(createElement(StartFailure, { failure }))
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(() => useApp.getState().state?.workspace?.root).toBe('/again')
  expect(useApp.getState().failure).toBeNull()
})

it('the list of recent folders follows main', async () => {
  const main = mainWith('/recent')
  stops = [followAppState()]
  await refreshApp()
  main.emit('recents.changed', ['/a'])
  expect(useApp.getState().state?.recents).toEqual(['/a'])
})

it('tabs and expanded folders stay when a folder is added and when one is removed', async () => {
  const main = mainWith('/work/api')
  stops = [followLayout()]
  await refreshApp()
  await expect.poll(() => useRestoredFolder.getState().root).toBe('/work/api')
  const { layout } = useRestoredFolder.getState()
  useTabs.setState({ groups: [{ id: 1, tabs: [previewTab('a.md', 'markdown')], active: null }] })
  useTree.setState({ expanded: new Set(['src']) })
  const api = { name: 'api', path: '/work/api' }
  const web = { name: 'web', path: '/work/web' }
  const show = async (folders: (typeof api)[]): Promise<void> => {
    const workspace = { root: '/links/1', name: 'Untitled', multiRoot: { folders, file: null, missing: [] } }
    main.responses['app.state'] = () => ({ workspace }) as unknown as AppState
    folderChange.from = currentWorkspace()
    await refreshApp()
    folderChange.from = null
  }
  await show([api, web])
  expect(useRestoredFolder.getState()).toEqual({ root: '/links/1', layout })
  expect(useTabs.getState().groups[0]?.tabs).toEqual([previewTab('api/a.md', 'markdown')])
  expect([...useTree.getState().expanded]).toEqual(['api/src', 'api', 'web'])
  await show([web])
  expect(useTabs.getState().groups[0]?.tabs).toEqual([])
  expect([...useTree.getState().expanded]).toEqual(['web'])
})
