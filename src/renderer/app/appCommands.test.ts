import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { defaultLayout, useLayout } from '../platform/layout/layoutStore.ts'
import { testMain } from '../testing/testMain.ts'
import { registerWorkbench } from './appCommands.ts'
import { LazySearchPanel } from './lazyViews.tsx'

let stop: () => void
let loaded: PromiseWithResolvers<void>
beforeEach(() => {
  vi.useFakeTimers()
  testMain()
  // The command needs a folder.
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  // Layout is missing in the DOM of the tests.
  HTMLElement.prototype.checkVisibility = () => true
  document.body.innerHTML = `
    <main data-region="editor"><textarea id="text"></textarea></main>
    <aside data-region="side-bar"><div>Loading</div></aside>`
  loaded = Promise.withResolvers<void>()
  vi.spyOn(LazySearchPanel, 'preload').mockReturnValue(loaded.promise)
  stop = registerWorkbench()
  element('#text').focus()
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.useRealTimers()
  useLayout.setState(defaultLayout)
  useApp.setState({ state: null })
  document.body.innerHTML = ''
})

function element(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector)
  if (!found) throw new Error(`no element ${selector}`)
  return found
}

async function load(): Promise<void> {
  element('aside').innerHTML = '<button id="options"></button><input id="field" data-autofocus>'
  loaded.resolve()
  await vi.advanceTimersByTimeAsync(200)
}

it('keys after the search command do not go to the open file while the view loads', async () => {
  expect(runCommand('view.search')).toBe(true)
  await vi.advanceTimersByTimeAsync(200)
  expect(document.activeElement).toBe(element('aside'))
  await load()
  expect(document.activeElement).toBe(element('#field'))
  // Only code focuses the side bar itself.
  expect(element('aside').hasAttribute('tabindex')).toBe(false)
})

it('the search view does not take the focus that the user moved while it loaded', async () => {
  expect(runCommand('view.search')).toBe(true)
  await vi.advanceTimersByTimeAsync(200)
  element('#text').dispatchEvent(new Event('pointerdown', { bubbles: true }))
  element('#text').focus()
  await load()
  expect(document.activeElement).toBe(element('#text'))
})

it('a focused control of the side bar keeps the focus', async () => {
  await load()
  element('#options').focus()
  expect(runCommand('view.search')).toBe(true)
  expect(document.activeElement).toBe(element('#options'))
})
