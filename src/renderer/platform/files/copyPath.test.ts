import { afterEach, expect, it, vi } from 'vitest'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { useApp } from '../appState.ts'
import { copyPathItems } from './copyPath.ts'
import { useNotices } from '../notices.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  useApp.setState({ state: null })
})

it('the menu items copy the whole path, or the one in the folder', async () => {
  const copied: string[] = []
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  // The items read only this field.
  useApp.setState({ state: { workspace: { root: '/home/ada/w' } } as unknown as AppState })
  for (const { run } of copyPathItems('src/a.ts')) run?.()
  await vi.waitFor(() => expect(useNotices.getState().notices).toHaveLength(2))
  expect(copied).toEqual(['/home/ada/w/src/a.ts', 'src/a.ts'])
})
