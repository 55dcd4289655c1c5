import { afterEach, expect, it } from 'vitest'
import type { AppState } from '../../shared/protocol.ts'
import { testMain } from '../chat/testMain.ts'
import { refreshApp } from './app.ts'
import { useLayout } from './layoutStore.ts'
import { followSession, useSession } from './session.ts'

let stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

it('a folder is shown once its layout is known, sizes included', async () => {
  const main = testMain()
  const sizes = { main: { centre: 60 } }
  const layout = { sideBar: { visible: false, view: 'search' }, panel: { visible: true }, chat: { visible: true }, sizes }
  main.answers['layout.load'] = () => JSON.stringify({ version: 1, layout, groups: [], activeGroup: 0, expanded: [] })
  main.answers['buffers.list'] = () => []
  main.answers['files.list'] = () => []
  // Only what the session asks of the state.
  main.answers['app.state'] = () => ({ workspace: { root: '/w', name: 'w' } }) as AppState
  const known: unknown[] = []
  stops = [useSession.subscribe(({ root }) => known.push(root === null ? null : useLayout.getState().sizes)), followSession()]
  await refreshApp()
  await expect.poll(() => useSession.getState().root).toBe('/w')
  expect(known[0]).toEqual({ main: { centre: 60 } })
  expect(useLayout.getState().sideBar).toEqual({ visible: false, view: 'search' })
})
