import { afterEach, expect, it, vi } from 'vitest'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { ToolError } from '../../../shared/errors.ts'
import { testMain } from '../../testing/testMain.ts'
import { useApp } from '../appState.ts'
import { followFolderSettings, useFolderSettings } from './editorSettings.ts'

afterEach(() => useApp.setState({ state: null }))

// Only this field is read.
const stateOf = (root: string) => ({ workspace: { root } }) as unknown as AppState

it('settings of the previous folder end, even if those of the next cannot be loaded', async () => {
  const main = testMain()
  main.responses['settings.folder'] = () => ({ settings: { editor: { tabSize: 2 } }, vsCode: {}, problem: '' })
  useApp.setState({ state: stateOf('/one') })
  const stop = followFolderSettings()
  const tabSize = () => useFolderSettings.getState().editor.tabSize
  await vi.waitFor(() => expect(tabSize()).toBe(2))
  let failures = 0
  main.responses['settings.folder'] = () => {
    failures += 1
    throw new ToolError('io_error', 'The folder cannot be read.')
  }
  const reload = () => main.emit('files.changed', { changes: [], overflow: true })
  reload()
  await vi.waitFor(() => expect(failures).toBe(1))
  expect(tabSize()).toBe(2)
  useApp.setState({ state: stateOf('/two') })
  reload()
  await vi.waitFor(() => expect(tabSize()).toBeUndefined())
  stop()
})
