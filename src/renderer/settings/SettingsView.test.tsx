import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { settingRows, type SettingRow } from '../../shared/settings/settingsTable.ts'
import { testMain } from '../testing/testMain.ts'
import { useApp } from '../platform/appState.ts'
import { useFolderSettings } from '../platform/editor/editorSettings.ts'
import { useEndpoints } from '../platform/models/endpointsStore.ts'
import { SettingFields } from './SettingFields.tsx'
import { SettingsView } from './SettingsView.tsx'
import { valueOf } from './settingValues.ts'

const readFile = {
  name: 'read_file',
  aliases: [],
  title: 'Read file',
  description: 'Reads.',
  risk: 'read' as const,
  schema: {},
  parameterAliases: {},
}

const appState = {
  version: '0',
  shell: 'browser' as const,
  remote: null,
  platform: 'linux',
  home: '/home/u',
  workspace: null,
  recents: [],
  hostFeatures: { revealFile: false, trash: false },
  settings: settingsSchema.parse({}),
  keybindings: [],
  conversation: null,
  approvals: [],
  jobs: [],
  sandbox: null,
}

beforeEach(() => {
  const { responses: answers } = testMain()
  answers['endpoints.list'] = () => []
  answers['themes.list'] = () => []
  answers['tools.list'] = ({ toolset }) => (toolset === 'blade' ? [readFile] : [])
})
afterEach(cleanup)

it('offers every model as the small model, and keeps a selected one whose server does not respond', async () => {
  const main = testMain()
  main.responses['themes.list'] = () => []
  const endpoint = { id: 'e', name: 'Box', kind: 'openai' as const, baseUrl: 'http://box', hasKey: false }
  main.responses['endpoints.list'] = () => [{ endpoint, reachable: true, discovered: false, models: [{ id: 'tiny' }] }]
  main.responses['tools.list'] = () => [readFile]
  main.responses['settings.set'] = (change) => settingsSchema.parse(change)
  const settings = settingsSchema.parse({ smallModel: { endpointId: 'gone', model: 'old' } })
  useApp.setState({ state: { ...appState, settings } })
  useEndpoints.setState({
    endpoints: [{ endpoint, reachable: true, discovered: false, models: [{ id: 'tiny' }] }],
    loadedAt: 1,
  })
  render(<SettingsView />)
  const select = screen.getByLabelText<HTMLSelectElement>('Small model')
  expect([...select.options].map((option) => option.text)).toEqual(['None', 'tiny · Box', 'old (not available)'])
  fireEvent.change(select, { target: { value: JSON.stringify(['e', 'tiny']) } })
  await waitFor(() =>
    expect(main.requests.at(-1)).toMatchObject({
      method: 'settings.set',
      params: { smallModel: { endpointId: 'e', model: 'tiny' } },
    }),
  )
  fireEvent.change(screen.getByLabelText('Small model'), { target: { value: '' } })
  await waitFor(() => expect(main.requests.at(-1)).toMatchObject({ params: { smallModel: null } }))
})

it('offers only embedding models as the embedding model', async () => {
  const main = testMain()
  main.responses['themes.list'] = () => []
  main.responses['tools.list'] = () => [readFile]
  main.responses['settings.set'] = (change) => settingsSchema.parse(change)
  const endpoint = { id: 'e', name: 'Box', kind: 'openai' as const, baseUrl: 'http://box', hasKey: false }
  const embeddings = ['bge-m3', 'nomic-embed-text']
  useApp.setState({ state: appState })
  useEndpoints.setState({
    endpoints: [
      { endpoint, reachable: true, discovered: false, models: [{ id: 'tiny' }], embeddingModels: embeddings },
    ],
    loadedAt: 1,
  })
  render(<SettingsView />)
  const select = screen.getByLabelText<HTMLSelectElement>('Embedding model')
  expect([...select.options].map((option) => option.text)).toEqual(['None', 'bge-m3 · Box', 'nomic-embed-text · Box'])
  fireEvent.change(select, { target: { value: JSON.stringify(['e', 'bge-m3']) } })
  await waitFor(() =>
    expect(main.requests.at(-1)).toMatchObject({ params: { embeddings: { endpointId: 'e', model: 'bge-m3' } } }),
  )
})

it('opens at the context size field of a model', async () => {
  const endpoint = { id: 'e', name: 'Box', kind: 'openai' as const, baseUrl: 'http://box', hasKey: false }
  useApp.setState({ state: appState })
  useEndpoints.setState({
    endpoints: [{ endpoint, reachable: true, discovered: false, models: [{ id: 'tiny' }] }],
    loadedAt: 1,
    formToOpen: { endpointId: 'e', model: 'qwen' },
  })
  render(<SettingsView />)
  const field = await screen.findByLabelText<HTMLInputElement>('Context size')
  expect(document.activeElement).toBe(field)
  expect(screen.getByLabelText<HTMLSelectElement>('Model').value).toBe('qwen')
  expect(field.closest('details')?.open).toBe(true)
  expect(useEndpoints.getState().formToOpen).toBeNull()
})

it('gives many checkboxes the full width, in columns', () => {
  useApp.setState({ state: appState })
  render(<SettingsView />)
  const group = (label: string) => screen.getByLabelText(label).closest('.settings-checks')
  expect(group('Show the minimap')?.className).toContain('settings-checks-columns')
  expect(group('Use language servers')?.className).not.toContain('settings-checks-columns')
})

it('disables a toolset without tools', async () => {
  useApp.setState({ state: appState })
  render(<SettingsView />)
  await waitFor(() =>
    expect(screen.getByRole<HTMLOptionElement>('option', { name: /^Rusty \(no tools/ }).disabled).toBe(true),
  )
  expect(screen.getByRole<HTMLOptionElement>('option', { name: 'Zaguán Blade' }).disabled).toBe(false)
})

describe('each declared setting', () => {
  const simple = settingRows.filter(({ declaration }) => declaration.editor === undefined)

  /** A value to enter that is valid and not the default. */
  function otherValue({ path, declaration }: SettingRow): string {
    if (declaration.type === 'choice') return declaration.options.find((option) => option !== declaration.default) ?? ''
    if (declaration.type === 'text') return 'Use tabs.'
    const ownRange: Record<string, string> = {
      temperature: '1.5',
      'editor.tabSize': '8',
      'editor.letterSpacing': '1.5',
      'editor.autoSaveDelay': '2500',
      'commands.maxProcesses': '500',
      'commands.maxMemoryMegabytes': '4096',
      'languageServers.maxMemoryMegabytes': '4096',
    }
    return ownRange[path] ?? '35'
  }

  it.each(simple.map((row) => [row.path, row] as const))('%s is saved from its control', async (_path, row) => {
    const main = testMain()
    main.responses['themes.list'] = () => []
    main.responses['settings.set'] = (change) => settingsSchema.parse(change)
    const settings = settingsSchema.parse({})
    render(<SettingFields group={row.declaration.group} settings={settings} />)
    const control = screen.getByLabelText(row.declaration.title)
    if (row.declaration.type === 'boolean') fireEvent.click(control)
    else {
      fireEvent.change(control, { target: { value: otherValue(row) } })
      fireEvent.blur(control)
    }
    await waitFor(() => expect(main.requests.map(({ method }) => method)).toContain('settings.set'))
    const change = main.requests.findLast(({ method }) => method === 'settings.set')?.params
    expect(valueOf(settingsSchema.parse(change), row)).not.toEqual(valueOf(settings, row))
  })
})

describe('the folder', () => {
  const workspace = { root: '/w', name: 'w' }
  const settings = settingsSchema.parse({ editor: { tabSize: 8 }, theme: 'dark' })
  /** Main with answers for the page. `testMain` clears those of `beforeEach`. */
  function connected() {
    const main = testMain()
    main.responses['endpoints.list'] = () => []
    main.responses['themes.list'] = () => []
    main.responses['tools.list'] = () => [readFile]
    return main
  }
  const shown = () => screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'))
  beforeEach(() => {
    useApp.setState({ state: { ...appState, workspace, settings } })
    useFolderSettings.setState({ editor: { wordWrap: true } })
  })
  afterEach(() => useFolderSettings.setState({ editor: {} }))

  it('has its own values of editor settings, which are marked and can be reset', async () => {
    const main = connected()
    main.responses['settings.setFolder'] = ({ name, value }) => ({
      settings: { editor: value === undefined ? {} : { wordWrap: true, [name]: value } },
      problem: '',
    })
    render(<SettingsView />)
    fireEvent.click(screen.getByRole('button', { name: 'Folder: w' }))
    expect(shown()).toEqual(['Settings', 'Appearance and editor'])
    expect(screen.queryByLabelText('Theme')).toBeNull()
    const tabSize = screen.getByLabelText<HTMLInputElement>('Tab size')
    expect(tabSize.value).toBe('8')
    fireEvent.change(tabSize, { target: { value: '2' } })
    fireEvent.blur(tabSize)
    await waitFor(() => expect(screen.getByRole('button', { name: 'Reset Tab size' })).toBeTruthy())
    fireEvent.click(screen.getByRole('button', { name: 'Reset Wrap long lines' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Reset Tab size' })).toBeNull())
    const sent = main.requests.filter(({ method }) => method === 'settings.setFolder').map(({ params }) => params)
    expect(sent).toEqual([{ name: 'tabSize', value: 2 }, { name: 'wordWrap' }])
  })

  it('marks settings of the user that it overrides or that differ from the default', () => {
    const main = connected()
    main.responses['settings.set'] = (change) => ({ ...settings, ...change })
    render(<SettingsView />)
    expect(screen.getByText('Overridden in this folder')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Reset Tab size' }))
    expect(main.requests.find(({ method }) => method === 'settings.set')?.params).toMatchObject({
      editor: { tabSize: 4 },
    })
  })

  it('shows no settings of a restricted folder, but how to trust it', () => {
    connected()
    useApp.setState({ state: { ...appState, workspace: { ...workspace, restricted: { decided: true } }, settings } })
    render(<SettingsView />)
    fireEvent.click(screen.getByRole('button', { name: 'Folder: w' }))
    expect(shown()).toEqual(['Settings'])
    expect(screen.getByRole('button', { name: 'Manage folder trust' })).toBeTruthy()
  })
})
