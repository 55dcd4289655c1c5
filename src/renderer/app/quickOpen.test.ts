import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { handleCommand } from '../platform/commands.ts'
import { emptyTabs, fileTab } from '../platform/editor/tabsState.ts'
import { showTab, useTabs } from '../platform/editor/tabsStore.ts'
import { useQuickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { quickOpen } from './quickOpen.ts'

let main: TestMain
let stop: () => void
let chosen: string[]
beforeEach(() => {
  main = testMain()
  chosen = []
  useTabs.setState(emptyTabs, true)
  // Only the fields that are read.
  useApp.setState({
    state: { workspace: { root: '/w' }, keybindings: [], settings: { keymap: 'vscode' } } as unknown as AppState,
  })
  stop = handleCommand('view.toggleSideBar', () => void chosen.push('side bar'))
})
afterEach(() => {
  stop()
  useQuickPick.getState().open?.answer(null)
})

/** Types a query and returns the rows. */
async function type(query: string): Promise<readonly QuickPickItem[]> {
  const items = useQuickPick.getState().open?.options.items
  if (typeof items !== 'function') throw new Error('The picker is not open.')
  return items(query)
}

it('> lists commands, and the chosen one runs', async () => {
  const done = quickOpen()
  const [first] = await type('>toggle side bar')
  expect(first?.label).toBe('View: Toggle side bar')
  useQuickPick.getState().open?.answer(first ?? null)
  await done
  expect(chosen).toEqual(['side bar'])
})

it('a colon goes to a line of the active file, and asks for one without it', async () => {
  void quickOpen()
  expect(await type(':12')).toMatchObject([{ label: 'Open a file to go to a line in it', disabled: true }])
  showTab(fileTab('a.ts'))
  expect((await type(':12')).map(({ label }) => label)).toEqual(['Go to line 12'])
  expect((await type(':12:3')).map(({ label }) => label)).toEqual(['Go to line 12, column 3'])
  expect(await type(':x')).toEqual([])
})

it('# and @ explain what they need before they can list anything', async () => {
  void quickOpen()
  expect(await type('#')).toMatchObject([
    { label: 'Type the name of a function, class or other symbol', disabled: true },
  ])
  expect(await type('@')).toMatchObject([{ label: 'Open a file to list its symbols', disabled: true }])
  expect(main.requests).toEqual([])
})

it('# shows that the index is being built if nothing was found yet', async () => {
  main.responses['code.symbols'] = () => ({ symbols: [], building: { done: 246, total: 4000 } })
  void quickOpen()
  expect(await type('#zz')).toMatchObject([
    { label: 'No matches yet', description: 'The index is being built: 246 of 4,000 files', disabled: true },
  ])
  main.responses['code.symbols'] = () => ({ symbols: [], building: { done: 0, total: 0 } })
  expect(await type('#zy')).toMatchObject([{ description: 'The index is being built' }])
  main.responses['code.symbols'] = () => ({ symbols: [], building: null })
  expect(await type('#zzz')).toEqual([])
})

it('# finds symbols of the folder, and anything else finds files', async () => {
  main.responses['code.symbols'] = () => ({ symbols: [], building: null })
  main.responses['files.find'] = () => ['src/a.ts']
  void quickOpen()
  await type('#render')
  expect((await type('a.ts')).map(({ id }) => id)).toEqual(['src/a.ts'])
  expect(main.requests.map(({ method, params }) => ({ method, ...(params as object) }))).toEqual([
    { method: 'code.symbols', query: 'render' },
    { method: 'files.find', query: 'a.ts', limit: 100 },
  ])
})
