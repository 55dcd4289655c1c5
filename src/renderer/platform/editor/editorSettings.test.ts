import { afterEach, expect, it, vi } from 'vitest'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { ToolError } from '../../../shared/errors.ts'
import { vsCodeLanguage } from '../../../shared/settings/languageBlocks.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { testMain } from '../../testing/testMain.ts'
import { useApp } from '../appState.ts'
import { editorSettings, followFolderSettings, useFolderSettings } from './editorSettings.ts'

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

it('settings of a language override those for all, of the folder more than of the user', () => {
  const user = settingsSchema.parse({
    editor: {
      tabSize: 3,
      rulers: [80],
      languages: { python: { tabSize: 4, rulers: [79] }, go: { insertSpaces: false } },
    },
  })
  // Only this field is read.
  useApp.setState({ state: { settings: user } as unknown as AppState })
  useFolderSettings.setState({
    vsCode: { tabSize: 8, languages: { python: { wordWrap: true, tabSize: 6 } } },
    editor: { languages: { python: { tabSize: 2 } } },
  })
  expect(editorSettings()).toMatchObject({ tabSize: 8, rulers: [80], wordWrap: false })
  expect(editorSettings('python')).toMatchObject({ tabSize: 2, rulers: [79], wordWrap: true, insertSpaces: true })
  expect(editorSettings('go')).toMatchObject({ tabSize: 8, insertSpaces: false })
  expect(editorSettings('constructor')).toBe(editorSettings('constructor'))
  useFolderSettings.setState({ editor: {}, vsCode: {} })
  expect(editorSettings('python')).toMatchObject({ tabSize: 4, wordWrap: false })
})

it.each([
  ['typescript', 'src/a.ts', 'typescript'],
  ['typescript', 'src/A.tsx', 'typescriptreact'],
  ['javascript', 'a.jsx', 'javascriptreact'],
  ['json', 'package.json', 'json'],
  ['json', 'web/tsconfig.base.json', 'jsonc'],
  ['shell', 'run.sh', 'shellscript'],
])('the language %s of %s is %s in VS Code', (id, path, expected) => expect(vsCodeLanguage(id, path)).toBe(expected))
