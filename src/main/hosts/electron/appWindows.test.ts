import { EventEmitter } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import type { Core } from '../../core.ts'
import { createOpenCores, type OpenCore } from '../../core/openCores.ts'
import { createTaskTries } from '../../core/tries.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createAppWindows, type AppWindows } from './appWindows.ts'
import type { OpenPlace } from './reopenedFolders.ts'
import type { DesktopWindow } from './desktopWindow.ts'

// The windows of the desktop application, whose cores do nothing but run tries.

let home: Awaited<ReturnType<typeof temporaryFolder>>
let windows: AppWindows
let shown: { folder: string | undefined; close(): void }[]
let folders: OpenPlace[]
let ended: (string | undefined)[]
let commands: unknown[]
let cores = createOpenCores()
const inHome = (name: string) => path.join(home.root, name)

beforeEach(async () => {
  home = await temporaryFolder({})
  for (const name of ['one', 'two', 'tree']) await mkdir(inHome(name))
  cores = createOpenCores()
  shown = []
  ended = []
  commands = []
  windows = createAppWindows({
    createCore: () => Promise.resolve(fakeCore()),
    createWindow: (_core, folder) => Promise.resolve(fakeWindow(folder)),
    onFolders: (now) => (folders = [...now]),
  })
})
afterEach(async () => {
  await windows.dispose()
  await home.remove()
})

function fakeWindow(folder: string | undefined): DesktopWindow {
  const browserWindow = new EventEmitter()
  shown.push({ folder, close: () => browserWindow.emit('closed') })
  return {
    browserWindow,
    focus: () => undefined,
    whenConnected: (then: (link: unknown) => void) =>
      then({ emit: (_name: string, command: unknown) => commands.push(command) }),
  } as unknown as DesktopWindow
}

/** A core whose tries go on until they are stopped. */
function fakeCore(): Core {
  let folder: string | undefined
  let attempts = 0
  const events = new EventEmitter()
  const tries = createTaskTries({
    cores,
    sessions: {
      createTries: () =>
        Promise.resolve({ made: [{ id: 's', name: 'task-1-1', worktree: inHome('tree') }], skipped: [] }),
      failTry: () => Promise.resolve(),
    } as unknown as Core['sessions'],
    platform: windows,
  })
  const remove = cores.add({
    folder: () => folder,
    tries,
    sessionsChanged: () => undefined,
    async attempt(_session, _attempt, signal) {
      attempts += 1
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      attempts -= 1
    },
  } as Partial<OpenCore> as OpenCore)
  return {
    tries,
    isWorking: () => tries.isWorking() || attempts > 0,
    isTrying: () => attempts > 0,
    subscribe(listener: <N extends EventName>(name: N, payload: Events[N]) => void) {
      events.on('event', listener)
      return () => events.off('event', listener)
    },
    openWorkspace(root: string) {
      folder = root
      events.emit('event', 'workspace.changed', { root })
      return Promise.resolve()
    },
    async dispose() {
      ended.push(folder)
      await tries.stopAll()
      remove()
    },
  } as unknown as Core
}

const openFolders = () => cores.all().map((core) => core.folder())

/** Opens two windows, and starts a try in the second. */
async function startTry(): Promise<void> {
  await windows.show(inHome('one'))
  await windows.open(inHome('two'))
  const core = windows.core() as unknown as { tries: ReturnType<typeof createTaskTries> }
  await core.tries.start({ folder: inHome('two'), prompt: 'go', tries: [{}] })
  await vi.waitUntil(() => openFolders().includes(inHome('tree')))
}

it('closing a window whose tries run ends them, and other windows open afterwards', async () => {
  await startTry()
  shown[1]?.close()
  await windows.show(inHome('two'))
  expect(shown.map(({ folder }) => folder)).toEqual([inHome('one'), inHome('two'), inHome('two')])
  await vi.waitUntil(() => openFolders().length === 2)
  expect(folders).toEqual([inHome('one'), inHome('two')])
})

it('a running try goes on when the window that shows it is closed, and ends with the window that started it', async () => {
  await startTry()
  expect(await windows.focus(inHome('tree'))).toBe(true)
  expect(folders).toContain(inHome('tree'))
  shown[2]?.close()
  expect(folders).toEqual([inHome('one'), inHome('two')])
  expect(ended).toEqual([])
  shown[1]?.close()
  await vi.waitUntil(() => openFolders().length === 1)
  expect(openFolders()).toEqual([inHome('one')])
})

it('a core of another machine is ended if a window already shows its folder', async () => {
  const disposed: string[] = []
  const remote = (name: string) =>
    ({
      subscribe: () => () => undefined,
      isWorking: () => false,
      isTrying: () => false,
      dispose: () => Promise.resolve(void disposed.push(name)),
    }) as unknown as Core
  await windows.openRemote('box', '/project', remote('first'))
  expect(await windows.focus('/project', 'box')).toBe(true)
  expect(await windows.focus('/project', 'other')).toBe(false)
  await windows.openRemote('box', '/project', remote('second'))
  await windows.openRemote('other', '/project', remote('third'))
  expect(shown).toHaveLength(2)
  expect(disposed).toEqual(['second'])
  // The next start opens both again.
  expect(folders).toEqual([
    { address: 'box', folder: '/project' },
    { address: 'other', folder: '/project' },
  ])
  await windows.dispose()
  await windows.openRemote('box', '/late', remote('late'))
  expect(disposed).toContain('late')
})

it('a folder is added to the window that was used last, and opens if that shows none', async () => {
  await windows.add(inHome('one'))
  expect(folders).toEqual([inHome('one')])
  await windows.add(inHome('two'))
  expect(folders).toEqual([inHome('one')])
  expect(commands).toEqual([{ id: 'workspace.addFolder', argument: inHome('two') }])
})
