import { EventEmitter } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi, type Mock } from 'vitest'
import { ipcChannel } from '../../../shared/bridge/ipcChannel.ts'
import type { CoreOptions } from '../../core.ts'
import type { Desktop, DesktopOptions } from './desktop.ts'
import { createFakeCore, type FakeCore } from '../testing/fakeCore.ts'

/** The parts of Electron's modules that the host uses, with a record of the calls. */
const electron = vi.hoisted(() => ({ module: {} as Record<string, unknown> }))
vi.mock(
  'electron',
  () =>
    new Proxy(
      {},
      {
        get: (_target, name) => electron.module[String(name)],
        has: (_target, name) => String(name) in electron.module,
        ownKeys: () => Object.keys(electron.module),
        getOwnPropertyDescriptor: (_target, name) => ({
          configurable: true,
          enumerable: true,
          value: electron.module[String(name)],
        }),
      },
    ),
)

class FakeWindow extends EventEmitter {
  static all: FakeWindow[] = []
  static getAllWindows = () => FakeWindow.all
  readonly options: { webPreferences: Record<string, unknown> }
  readonly webContents = Object.assign(new EventEmitter(), {
    mainFrame: { url: 'app://tizona/index.html' },
    isDestroyed: () => false,
    send: vi.fn(),
  })
  readonly loadURL = vi.fn(async (_url: string) => {})
  readonly focus = vi.fn()
  readonly maximize = vi.fn()
  constructor(options: FakeWindow['options']) {
    super()
    this.options = options
    FakeWindow.all.push(this)
  }
  isMinimized = () => false
  isDestroyed = () => false
  getNormalBounds = () => ({ x: 0, y: 0, width: 1, height: 1 })
  show(): void {}
  /** The page sends its first request. */
  firstMessage(): void {
    ipcMain.emit(
      ipcChannel.toMain,
      { sender: this.webContents, senderFrame: this.webContents.mainFrame },
      { kind: 'request', id: 1, method: 'app.state', params: {} },
    )
  }
  get received(): unknown[] {
    return this.webContents.send.mock.calls.map(([, message]) => message as unknown)
  }
}

let ipcMain: EventEmitter
let app: EventEmitter & { commandLine: { appendSwitch: Mock } } & Record<
    'setPath' | 'requestSingleInstanceLock' | 'quit' | 'exit' | 'whenReady',
    Mock
  >
let protocol: { registerSchemesAsPrivileged: Mock; handle: Mock }
let core: FakeCore
/** Returns the core of the next window. */
let nextCore: () => FakeCore
let created: CoreOptions[]
let userData: string
let firstInstance: boolean
const openExternal = vi.fn(async () => {})
const session = {
  setPermissionRequestHandler: vi.fn(),
  setPermissionCheckHandler: vi.fn(),
  setDevicePermissionHandler: vi.fn(),
}

beforeEach(async () => {
  vi.resetModules()
  vi.clearAllMocks()
  FakeWindow.all = []
  userData = await mkdtemp(join(tmpdir(), 'tizona-desktop-'))
  vi.stubEnv('TIZONA_USER_DATA', userData)
  firstInstance = true
  created = []
  core = createFakeCore()
  nextCore = () => core
  ipcMain = new EventEmitter()
  app = Object.assign(new EventEmitter(), {
    setPath: vi.fn(),
    requestSingleInstanceLock: vi.fn(() => firstInstance),
    quit: vi.fn(),
    exit: vi.fn(),
    whenReady: vi.fn(async () => {}),
    commandLine: { appendSwitch: vi.fn() },
  })
  protocol = { registerSchemesAsPrivileged: vi.fn(), handle: vi.fn() }
  const display = { workArea: { x: 0, y: 0, width: 1920, height: 1080 } }
  electron.module = {
    app,
    BrowserWindow: FakeWindow,
    dialog: {
      showMessageBox: vi.fn(),
      showOpenDialog: vi.fn(async () => ({ canceled: false, filePaths: ['/chosen'] })),
    },
    ipcMain,
    Menu: { setApplicationMenu: vi.fn(), buildFromTemplate: vi.fn((template: unknown) => template) },
    nativeImage: {},
    Notification: { isSupported: () => false },
    protocol,
    safeStorage: {},
    screen: { getPrimaryDisplay: () => display, getAllDisplays: () => [display] },
    session: { defaultSession: session },
    shell: { openExternal },
    Tray: class {},
    utilityProcess: { fork: vi.fn() },
    WebContentsView: vi.fn(),
  }
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(userData, { recursive: true, force: true })
})

async function start(folder?: string, opening: Pick<DesktopOptions, 'file' | 'wait'> = {}): Promise<Desktop> {
  const { startDesktop } = await import('./desktop.ts')
  return startDesktop({
    createCore: async (options) => {
      created.push(options)
      return nextCore()
    },
    installation: { version: '1', resources: '/r', renderer: '/out/renderer', preload: '/out/preload/index.cjs' },
    folder,
    ...opening,
  })
}
const window = async (): Promise<FakeWindow> =>
  vi.waitFor(() => FakeWindow.all[0] ?? Promise.reject(new Error('no window yet')))

it('the page is isolated, sandboxed, without Node, and loaded from app:// with our preload script only', async () => {
  await start()
  const opened = await window()
  expect(opened.options.webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    preload: '/out/preload/index.cjs',
  })
  expect(opened.loadURL).toHaveBeenCalledExactlyOnceWith('app://tizona/index.html')
  expect(protocol.registerSchemesAsPrivileged).toHaveBeenCalledBefore(protocol.handle)
  expect(session.setPermissionRequestHandler).toHaveBeenCalledOnce()
  expect(session.setPermissionCheckHandler).toHaveBeenCalledOnce()
  expect(app.listenerCount('web-contents-created')).toBe(1)
})

it('Chromium resolves no names, which pages of the preview could send to any server', async () => {
  await start()
  const { appendSwitch } = app.commandLine
  expect(appendSwitch.mock.calls).toEqual([
    ['host-resolver-rules', 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    ['disable-quic'],
  ])
  expect(appendSwitch).toHaveBeenCalledBefore(app.whenReady)
})

it('a second instance passes on its folder and creates nothing', async () => {
  firstInstance = false
  await start('/second')
  expect(app.requestSingleInstanceLock).toHaveBeenCalledWith({ folder: '/second' })
  expect(app.quit).toHaveBeenCalledOnce()
  expect(app.whenReady).not.toHaveBeenCalled()
  expect(created).toEqual([])
})

it('the folder of a second instance opens in a new window with a core of its own, or focuses the window that has it', async () => {
  const made: FakeCore[] = []
  nextCore = () => {
    core = createFakeCore()
    // The windows follow the events of their cores.
    const { subscribe, openWorkspace } = core
    const listeners = new Set<Parameters<typeof subscribe>[0]>()
    core.subscribe = (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
    core.openWorkspace = async (root) => {
      const info = { ...(await openWorkspace(root)), root }
      for (const listener of listeners) listener('workspace.changed', info)
      return info
    }
    made.push(core)
    return core
  }
  const [one, other] = [join(userData, 'one'), join(userData, 'other')]
  await start(one)
  const first = await window()
  await vi.waitFor(() => expect(first.focus).toHaveBeenCalled())
  app.emit('second-instance', {}, [], '/', { folder: other })
  await vi.waitFor(() => expect(FakeWindow.all).toHaveLength(2))
  expect(made).toHaveLength(2)
  const focused = first.focus.mock.calls.length
  app.emit('second-instance', {}, [], '/', { folder: one })
  await vi.waitFor(() => expect(first.focus.mock.calls.length).toBeGreaterThan(focused))
  app.emit('second-instance', {}, [], '/', { folder: 7 })
  expect(FakeWindow.all).toHaveLength(2)

  // A command runs in the window that was in front last.
  FakeWindow.all[1]?.emit('focus')
  FakeWindow.all[1]?.firstMessage()
  FakeWindow.all[1]?.emit('closed')
  await vi.waitFor(() => expect(made[1]?.disposed).toBe(true))
  expect(made[0]?.disposed).toBe(false)
  FakeWindow.all[0]?.emit('closed')
  expect(made[0]?.disposed).toBe(false)
})

it('a new window is empty, next to the others, and messages of one window reach its own core only', async () => {
  const made: FakeCore[] = []
  nextCore = () => {
    const next = createFakeCore()
    made.push(next)
    return next
  }
  const logged = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await start()
  await window()
  await created[0]?.platform.openWindow?.()
  expect(FakeWindow.all).toHaveLength(2)
  FakeWindow.all[1]?.firstMessage()
  expect(made.map(({ link }) => link !== null)).toEqual([false, true])
  expect(logged).not.toHaveBeenCalled()
  logged.mockRestore()
})

it('a folder that cannot be opened causes a notice once the window is connected', async () => {
  // The same class as in the module under test, because modules are loaded again for every test.
  const { ToolError } = await import('../../../shared/errors.ts')
  vi.spyOn(core, 'openWorkspace').mockRejectedValue(
    new ToolError('not_found', 'There is no such folder.', 'Choose another.'),
  )
  await start('/gone')
  const opened = await window()
  await vi.waitFor(() => {
    opened.firstMessage()
    expect(opened.received).toContainEqual({
      kind: 'event',
      name: 'notice',
      payload: { level: 'error', message: 'There is no such folder.', detail: 'Choose another.' },
    })
  })
})

it('provides the folder dialog and the browser to the core, for http addresses only', async () => {
  await start()
  await window()
  const platform = created[0]?.platform
  expect(platform).toMatchObject({ host: 'electron', userData, resources: '/r' })
  expect(await platform?.pickFolder?.()).toBe('/chosen')
  expect(await platform?.pickFile?.({ title: 'Open', name: 'Models', extension: 'gguf' })).toBe('/chosen')
  await platform?.openExternal?.('https://example.org/')
  expect(openExternal).toHaveBeenCalledExactlyOnceWith('https://example.org/')
  await expect(platform?.openExternal?.('file:///etc/passwd')).rejects.toThrow(/http/)
})

it('a folder that macOS opens before Electron is ready replaces the one of the command line', async () => {
  const opened = vi.spyOn(core, 'openWorkspace')
  const ready = Promise.withResolvers<void>()
  app.whenReady.mockReturnValue(ready.promise)
  await start('/typed')
  app.emit('open-file', { preventDefault: vi.fn() }, '/early')
  ready.resolve()
  await window()
  expect(opened).toHaveBeenCalledExactlyOnceWith('/early')
})

it('an unhandled error causes a notice in the window and does not end the process', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { report } = await start()
  const opened = await window()
  report(new Error('boom'))
  await vi.waitFor(() => {
    report(new Error('boom'))
    opened.firstMessage()
    expect(opened.received).toContainEqual({
      kind: 'event',
      name: 'notice',
      payload: { level: 'error', message: expect.stringContaining('boom'), detail: expect.any(String) },
    })
  })
  expect(app.exit).not.toHaveBeenCalled()
  logged.mockRestore()
})

it('the core is disposed if the window cannot be created', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  electron.module['BrowserWindow'] = class {
    constructor() {
      throw new Error('no display')
    }
  }
  await start()
  await vi.waitFor(() => expect(app.exit).toHaveBeenCalledExactlyOnceWith(1))
  expect(core.disposed).toBe(true)
  logged.mockRestore()
})

it('disposes the core before the process ends', async () => {
  await start()
  await window()
  const preventDefault = vi.fn()
  app.emit('will-quit', { preventDefault })
  await vi.waitFor(() => expect(app.exit).toHaveBeenCalledExactlyOnceWith(0))
  expect(preventDefault).toHaveBeenCalledOnce()
  expect(core.disposed).toBe(true)
})

it('a crashed page can be loaded again, with a new connection', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const dialog = electron.module['dialog'] as { showMessageBox: Mock } // Set above.
  dialog.showMessageBox.mockResolvedValue({ response: 0 })
  await start()
  const opened = await window()
  opened.firstMessage()
  expect(core.link).not.toBeNull()
  opened.webContents.emit('render-process-gone', {}, { reason: 'crashed' })
  expect(core.link).toBeNull()
  await vi.waitFor(() => expect(opened.loadURL).toHaveBeenCalledTimes(2))
  opened.firstMessage()
  expect(core.link).not.toBeNull()
  logged.mockRestore()
})

it('signals store unsaved text before the process exits, even if several arrive', async () => {
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]))
  const stored = Promise.withResolvers<void>()
  const dispose = vi.spyOn(core, 'dispose').mockReturnValue(stored.promise)
  await start()
  await window()
  for (const signal of signals) {
    const added = process.listeners(signal).filter((listener) => !before.get(signal)?.includes(listener))
    expect(added).toHaveLength(1)
    for (const listener of added) {
      listener(signal)
      process.off(signal, listener)
    }
  }
  await new Promise(setImmediate)
  expect(dispose).toHaveBeenCalledOnce()
  expect(app.exit).not.toHaveBeenCalled()
  stored.resolve()
  await vi.waitFor(() => expect(app.exit).toHaveBeenCalledExactlyOnceWith(0))
})

/** Starts with a file whose tab another program waits for. @param opened what the core returns */
async function startWaiting(opened: Awaited<ReturnType<FakeCore['openFile']>>): Promise<void> {
  const listeners = new Set<Parameters<FakeCore['subscribe']>[0]>()
  core.subscribe = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const { openWorkspace } = core
  core.openWorkspace = async (root) => {
    const info = { ...(await openWorkspace(root)), root }
    for (const listener of listeners) listener('workspace.changed', info)
    return info
  }
  core.openFile = async () => opened
  app.quit.mockImplementation(() => app.emit('will-quit', { preventDefault: vi.fn() }))
  await start(userData, { file: { path: join(userData, 'a.txt') }, wait: true })
  await window()
}

it('a closed tab ends the process that another program waits for', async () => {
  await startWaiting({ closed: Promise.resolve() })
  await vi.waitFor(() => expect(app.exit).toHaveBeenCalledExactlyOnceWith(0))
})

it('a file that was refused ends the process that another program waits for, with an error', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  await startWaiting(null)
  await vi.waitFor(() => expect(app.exit).toHaveBeenCalledExactlyOnceWith(1))
  logged.mockRestore()
})

it('quitting before the tab is closed is an error for the program that waits', async () => {
  await startWaiting({ closed: new Promise(() => {}) })
  app.emit('will-quit', { preventDefault: vi.fn() })
  await vi.waitFor(() => expect(app.exit).toHaveBeenCalledExactlyOnceWith(1))
})

it('a second instance that cannot wait for the tab ends with an error', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  firstInstance = false
  await start('/second', { file: { path: '/second/a.txt' }, wait: true })
  expect(app.exit).toHaveBeenCalledExactlyOnceWith(1)
  expect(written).toHaveBeenCalledWith(expect.stringContaining('cannot report'))
  written.mockRestore()
})
