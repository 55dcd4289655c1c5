import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requests, type RequestParams } from '../../shared/bridge/protocol.ts'
import { createEndpoints } from '../model/endpoints/endpoints.ts'
import { answer, say } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { createFileSecretStore } from '../settings/secretStore.ts'
import { createSettingsStore } from '../settings/settingsStore.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { createSettingsHandlers } from './settingsHandlers.ts'

const signal = new AbortController().signal

async function setUp(readVsCodeSettings: () => Promise<Partial<Settings['editor']>> = async () => ({})) {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-settings-handlers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const notice = (message: string) => {
    throw new Error(message)
  }
  const settings = await createSettingsStore(folder, notice)
  const secrets = await createFileSecretStore(folder, notice)
  const endpoints = createEndpoints({ settings, secrets, discovery: false })
  let folderText: string | null = null
  const handlers = createSettingsHandlers({
    settings,
    secrets,
    endpoints,
    pickFile: undefined,
    readFolderSettings: async () => folderText,
    readVsCodeSettings,
    changeFolderSettings: async (change) => {
      folderText = change(folderText ?? '')
    },
  })
  const server = await startScriptedEndpoint({
    name: 's',
    turns: [{ prompt: /./, steps: [{ title: 'a', play: () => answer(say('hi')) }] }],
  })
  onTestFinished(() => server.close())
  return { folder, settings, secrets, handlers, server }
}
/** A change of settings as main gets it from a window. */
const settingsChange = (change: RequestParams<'settings.set'>) => requests['settings.set'].params.parse(change)

test('a change of one setting keeps the others', async () => {
  const { handlers, settings } = await setUp()
  await handlers['settings.set'](settingsChange({ theme: 'dark', maxTurns: 9 }), signal)
  await handlers['settings.set'](settingsChange({ mode: 'plan' }), signal)
  expect(settings.get()).toMatchObject({ theme: 'dark', maxTurns: 9, mode: 'plan' })
})

test('endpoints cannot be changed through the settings request, which would keep their keys', async () => {
  const { handlers, server, settings } = await setUp()
  const saved = await handlers['endpoints.save'](
    { endpoint: { name: 'Mine', kind: 'openai', baseUrl: server.url, hasKey: false }, key: 's3cret' },
    signal,
  )
  const moved = settingsChange({ endpoints: [{ ...saved.endpoint, baseUrl: 'http://127.0.0.1:9' }] })
  await expect((async () => handlers['settings.set'](moved, signal))()).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
  await handlers['settings.set'](settingsChange({ theme: 'light' }), signal)
  expect(settings.get().endpoints).toEqual([saved.endpoint])
})

test('without a file dialog, the request for a model file says to enter its path', async () => {
  const { handlers } = await setUp()
  await expect(handlers['endpoints.pickFile']({}, signal)).rejects.toMatchObject({
    code: 'no_window',
    next: 'Enter the path of the file.',
  })
})

test('endpoints are saved, listed, tested and removed, and no response contains the key', async () => {
  const { handlers, server, folder } = await setUp()
  const endpoint = { name: 'Mine', kind: 'openai' as const, baseUrl: server.url, hasKey: false }
  const tested = await handlers['endpoints.test']({ endpoint, key: 's3cret' }, signal)
  const saved = await handlers['endpoints.save']({ endpoint, key: 's3cret' }, signal)
  const listed = await handlers['endpoints.list']({ probe: true }, signal)
  expect(listed).toEqual([saved])
  expect([tested, saved].every((status) => status.reachable)).toBe(true)
  expect(JSON.stringify([tested, saved, listed])).not.toContain('s3cret')
  await handlers['endpoints.remove']({ id: saved.endpoint.id }, signal)
  expect(await handlers['endpoints.list']({ probe: false }, signal)).toEqual([])
  expect(await readFile(join(folder, 'secrets.json'), 'utf8')).not.toContain('s3cret')
})

test('the key for Brave is stored and deleted, and no setting contains it', async () => {
  const { handlers, secrets, settings, folder } = await setUp()
  const answered = await handlers['web.setBraveKey']({ key: 'br4ve' }, signal)
  expect(answered.web.hasBraveKey).toBe(true)
  expect(await secrets.get('web.brave')).toBe('br4ve')
  expect(JSON.stringify(answered) + (await readFile(join(folder, 'settings.json'), 'utf8'))).not.toContain('br4ve')
  await handlers['settings.set'](
    settingsChange({ web: { ...answered.web, search: 'brave', hasBraveKey: false } }),
    signal,
  )
  expect(settings.get().web).toMatchObject({ search: 'brave', hasBraveKey: true })
  await handlers['web.setBraveKey']({ key: null }, signal)
  expect(await secrets.get('web.brave')).toBeUndefined()
  expect(settings.get().web.hasBraveKey).toBe(false)
})

test.each([
  { searxngUrl: 'ftp://box/' },
  { searxngUrl: 'http://user:password@box/' },
  { localOrigins: ['http://localhost:3000/path'] },
  { localOrigins: ['localhost:3000'] },
  { localOrigins: ['file:///etc'] },
])('%o is not a valid address for the web settings', async (change) => {
  const { settings } = await setUp()
  expect(() => settingsChange({ web: { ...settings.get().web, ...change } })).toThrow()
})

test('a setting of the folder is changed and removed, and one that affects the agent is refused', async () => {
  const { handlers } = await setUp()
  const set = (params: RequestParams<'settings.setFolder'>) =>
    handlers['settings.setFolder'](requests['settings.setFolder'].params.parse(params), signal)
  expect(await set({ name: 'tabSize', value: 2 })).toMatchObject({ settings: { editor: { tabSize: 2 } }, problem: '' })
  await set({ name: 'wordWrap', value: true })
  await expect(set({ name: 'mode', value: 'yolo' })).rejects.toThrow(/mode/)
  await expect(set({ name: 'tabSize', value: 'wide' })).rejects.toThrow(/tabSize/)
  expect((await set({ name: 'tabSize' })).settings).toEqual({ editor: { wordWrap: true } })
})

test('settings of VS Code that cannot be read leave those of Tizona in effect, and are reported', async () => {
  const { handlers } = await setUp(() =>
    Promise.reject(new ToolError('outside_workspace', '.vscode is a link to a place outside the folder.')),
  )
  await handlers['settings.setFolder'](
    requests['settings.setFolder'].params.parse({ name: 'tabSize', value: 2 }),
    signal,
  )
  expect(await handlers['settings.folder']({}, signal)).toEqual({
    settings: { editor: { tabSize: 2 } },
    vsCode: {},
    problem: expect.stringContaining('.vscode is a link to a place outside the folder.'),
  })
})
