import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createCore, type Core } from '../../core.ts'
import { createOpenCores } from '../../core/openCores.ts'
import { answer, call, say } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'
import { createFakeCore, type FakeCore } from '../testing/fakeCore.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createBrowserCores, type BrowserCores } from './browserCores.ts'

// The folders that the page of the browser host shows one after the other.

const never = new AbortController().signal
let home: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint
let cores: BrowserCores
let shown: Core
let openCores = createOpenCores()

beforeEach(async () => {
  home = await temporaryFolder({ 'project/a.txt': 'one\n' })
  openCores = createOpenCores()
  endpoint = await startScriptedEndpoint({
    name: 'folders',
    turns: [],
    respond: ({ messages }) => {
      const text = String(messages.at(-1)?.content)
      if (text === 'write') return answer(say('I write.'), call('write_file', { path: 'n.txt', content: 'n\n' }))
      const command = { command: 'sleep 300', blocking: false, wait_ms_before_async: 300 }
      return text === 'run' ? answer(say('I run.'), call('run_command', command)) : answer(say('Done.'))
    },
  })
})
afterEach(async () => {
  await cores.dispose()
  await endpoint.close()
  await home.remove()
})

async function start(mode: 'paranoid' | 'yolo'): Promise<string> {
  cores = await createBrowserCores(
    ({ open, focus, closeHidden }) =>
      createCore({
        openCores,
        attended: true,
        trustWorkspace: true,
        platform: {
          host: 'browser',
          fork: inProcessIndex,
          version: 'test',
          userData: path.join(home.root, 'data'),
          otherDataFolders: [],
          resources: path.join(import.meta.dirname, '..', '..', '..', '..', 'resources'),
          openWindow: open,
          focusFolder: focus,
          closeHidden,
        },
        settings: {
          endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
          model: { endpointId: 'e', model: 'scripted' },
          mode,
        },
      }),
    (core) => (shown = core),
  )
  shown = cores.first
  const project = path.join(home.root, 'project')
  await shown.handlers['workspace.open']({ path: project }, never)
  return project
}

async function send(text: string, state: string): Promise<void> {
  const { id } = (await shown.handlers['conversations.create']({}, never)).info
  await shown.handlers['conversations.send']({ id, text }, never)
  const find = async () => (await shown.handlers['sessions.overview']({ refresh: false }, never))[0]?.state === state
  await vi.waitUntil(find, { timeout: 20_000 })
}

async function folder(name: string): Promise<string> {
  const made = path.join(home.root, name)
  await mkdir(made)
  return made
}
const folders = () => openCores.all().map((core) => core.folder())

it('another folder takes the place of one that works, which goes on', async () => {
  const project = await start('paranoid')
  await send('write', 'approval')
  const other = await folder('other')
  expect(await shown.handlers['window.focusFolder']({ path: other }, never)).toBe(true)
  expect(shown).not.toBe(cores.first)
  expect(folders()).toEqual([project, other])
  expect(await shown.handlers['sessions.overview']({ refresh: false }, never)).toMatchObject([
    { state: 'approval', place: 'window' },
  ])
  // The other one does nothing, so the page opens the next folder in it.
  expect(await shown.handlers['window.focusFolder']({ path: await folder('third') }, never)).toBe(false)
  expect(await shown.handlers['window.focusFolder']({ path: project }, never)).toBe(true)
  expect(shown).toBe(cores.first)
})

it('a folder that works goes on when it is closed', async () => {
  const project = await start('paranoid')
  expect(await shown.handlers['window.focusFolder']({ path: null }, never)).toBe(false)
  await send('write', 'approval')
  expect(await shown.handlers['window.focusFolder']({ path: null }, never)).toBe(true)
  expect(shown).not.toBe(cores.first)
  expect((await shown.handlers['app.state']({}, never)).workspace).toBeNull()
  expect(cores.first.isWorking()).toBe(true)
  expect(await shown.handlers['window.focusFolder']({ path: project }, never)).toBe(true)
  expect(shown).toBe(cores.first)
})

it('a hidden folder with a running command stays open', async () => {
  const project = await start('yolo')
  await send('run', 'done')
  expect(shown.isWorking()).toBe(true)
  for (let index = 0; index < 6; index += 1)
    await shown.handlers['window.open']({ path: await folder(`folder${index}`) }, never)
  // The one shown longest ago ends.
  await expect.poll(folders).toHaveLength(6)
  expect(folders()).toContain(project)
  const [job] = await cores.first.handlers['jobs.list']({}, never)
  expect(job).toMatchObject({ command: 'sleep 300', state: 'running' })
  await cores.first.handlers['jobs.stop']({ id: job?.id ?? '' }, never)
  expect(cores.first.isWorking()).toBe(false)
})

it('a file that its folder refuses does not move the page', async () => {
  const project = await start('paranoid')
  await send('write', 'approval')
  const other = await folder('other')
  await shown.handlers['window.focusFolder']({ path: other }, never)
  const page = shown
  await symlink(path.join(other, 'new.txt'), path.join(project, 'link.txt'))
  expect(await cores.openFile({ path: path.join(project, 'link.txt') }, false)).toBeNull()
  expect(shown).toBe(page)
  const opening = cores.openFile({ path: path.join(project, 'a.txt') }, false)
  await expect.poll(() => shown).toBe(cores.first)
  cores.first.attach({ emit: () => undefined, ask: () => Promise.reject(new Error('It was shown.')) })
  await expect(opening).rejects.toThrow('It was shown.')
})

it('no folder opens once the host ends', async () => {
  await start('paranoid')
  const made: FakeCore[] = []
  const ending = await createBrowserCores(
    () => {
      made.push(createFakeCore())
      return Promise.resolve(made.at(-1) as FakeCore)
    },
    () => undefined,
  )
  const disposed = ending.dispose()
  await expect(ending.openHidden(home.root)).rejects.toMatchObject({ code: 'cancelled' })
  await disposed
  expect(made.map((core) => core.disposed)).toEqual([true])
})
