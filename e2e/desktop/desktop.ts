import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from '@playwright/test'
import type {
  DialogAnswer,
  Effect,
  ElectronSide,
  HarnessConfig,
  PressedKey,
  ShownDialog,
  ShownMenuItem,
  ViewState,
  WindowState,
} from './operations.ts'
import { createPeer, type Peer } from './peer.ts'
import { windowOperations, type HostedWindow } from './windowHost.ts'

export type { Effect, ShownDialog, ShownMenuItem, ViewState, WindowState } from './operations.ts'

export interface DesktopOptions
  extends Pick<HarnessConfig, 'app' | 'args'>, Partial<Pick<HarnessConfig, 'packaged' | 'displays' | 'keychain'>> {
  context: BrowserContext
  env: NodeJS.ProcessEnv
  /** Folder for data that outlives the application: trash and keychain. */
  state: string
  cwd?: string
}

/** A dialog that waits for an answer. */
export interface Dialog {
  shown: ShownDialog
  answer(answer: DialogAnswer): Promise<void>
  /** Presses a button of a message by its text. */
  press(button: string): Promise<void>
}

/** A running application, with the actions of its user and of the system. */
export interface Desktop {
  process: ChildProcess
  /** Resolves with the exit code. */
  exited: Promise<number>
  /** Waits for a visible window and returns its page. */
  page(): Promise<Page>
  windows(): Promise<WindowState[]>
  /** Returns the page of a window by its id. */
  pageOf(window: number): Promise<Page>
  /** Waits for the next dialog that has no answer yet. */
  dialog(): Promise<Dialog>
  menu(): Promise<ShownMenuItem[]>
  clickMenu(...path: string[]): Promise<void>
  /** Closes a window as the user does. Default: the first one. */
  closeWindow(window?: number): Promise<void>
  changeWindow(change: Omit<Parameters<ElectronSide['changeWindow']>[0], 'window'>): Promise<void>
  /** Crashes the process of the window's page. */
  crashPage(): Promise<void>
  /** Drops files from the file manager at a position in the window. */
  drop(files: string[], at: { x: number; y: number }): Promise<void>
  /** Returns the view of the first window that has one, as it is now. Null without one. */
  view(): Promise<ViewState | null>
  /** Clicks at a position in the window. A view that is there gets the click. */
  click(at: { x: number; y: number }): Promise<void>
  /** Presses a key such as `Control+K`. The view gets it if it has the focus. */
  press(keys: string): Promise<void>
  /** Evaluates an expression in the page of the view. */
  inView(expression: string): Promise<unknown>
  /** Crashes the process of the view's page. */
  crashView(): Promise<void>
  zoomWindow(factor: number): Promise<void>
  emit(event: Parameters<ElectronSide['emit']>[0]): Promise<void>
  effects(): Promise<Effect[]>
  clickNotification(id: number): Promise<void>
  /** Clicks the application's icon in the system tray. */
  clickTray(): Promise<void>
  /** Sets whether the system's trash accepts files. */
  setTrash(works: boolean): Promise<void>
  /** Starts a second instance of the application with other arguments. */
  startAgain(args: string[]): Promise<Desktop>
  /** Ends the application without prompts and waits for its exit. */
  end(): Promise<void>
}

/** Time limit for the application to end when the system shuts down, in milliseconds. */
const endTimeout = 15_000

/** Starts the application's built entry on Node with a stand-in for Electron. Its windows are pages of `context`. */
export async function launchDesktop(options: DesktopOptions): Promise<Desktop> {
  const {
    app,
    args,
    context,
    env,
    state,
    cwd,
    packaged = false,
    displays = [{ x: 0, y: 0, width: 1440, height: 900 }],
    keychain = 'gnome_libsecret',
  } = options
  await mkdir(state, { recursive: true })
  const config: HarnessConfig = { app, args, packaged, state, displays, keychain }
  // The variable is `configVariable` in host.ts, which only the application's process may import.
  const child = fork(join(import.meta.dirname, 'electron', 'run.ts'), [], {
    cwd,
    env: { ...env, DESKTOP_HARNESS_CONFIG: JSON.stringify(config) },
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const windows = new Map<number, Promise<HostedWindow>>()
  const dialogs = createDialogQueue()
  const wire = {
    send: (message: unknown) => {
      // A message that cannot be sent means that the application has ended; `exit` follows.
      if (child.connected) child.send(message as object, () => undefined)
    },
    onMessage: (listener: (message: unknown) => void) => void child.on('message', listener),
  }
  const electron: Peer<ElectronSide> = createPeer<ElectronSide>(
    wire,
    windowOperations(context, () => electron, windows, { dialogShown: dialogs.add }),
  )
  const exited = once(child, 'exit').then(async ([code]) => {
    // A system removes the windows of an ended process.
    const pages = await Promise.allSettled(windows.values())
    await Promise.all(pages.flatMap((window) => (window.status === 'fulfilled' ? [window.value.page.close()] : [])))
    electron.close(`The application has ended (${code ?? 'by a signal'}).`)
    return typeof code === 'number' ? code : 1
  })

  const firstWindow = async (): Promise<HostedWindow> => {
    const window = await [...windows.values()][0]
    if (window === undefined) throw new Error('The application has no window.')
    return window
  }

  return {
    process: child,
    exited,
    page: () =>
      until(child, 'a window', async () => {
        const shown = (await electron.call('windows', null)).find(({ visible }) => visible)
        const window = shown === undefined ? undefined : await windows.get(shown.id)
        return window?.page ?? null
      }),
    windows: () => electron.call('windows', null),
    async pageOf(id) {
      const window = await windows.get(id)
      if (window === undefined) throw new Error(`The application has no window ${id}.`)
      return window.page
    },
    async dialog() {
      const shown = await dialogs.next()
      const answer = (given: DialogAnswer): Promise<void> =>
        electron.call('answerDialog', { id: shown.id, answer: given })
      return {
        shown,
        answer,
        press(button) {
          const response = shown.kind === 'message' ? shown.buttons.indexOf(button) : -1
          if (response === -1) throw new Error(`The dialog has no button "${button}": ${JSON.stringify(shown)}`)
          return answer({ response })
        },
      }
    },
    menu: () => electron.call('menu', null),
    clickMenu: (...path) => electron.call('clickMenu', { path }),
    closeWindow: async (id) => electron.call('closeWindow', { window: id ?? (await firstWindow()).id }),
    changeWindow: async (change) => electron.call('changeWindow', { window: (await firstWindow()).id, ...change }),
    crashPage: async () => (await firstWindow()).crash(),
    drop: async (files, { x, y }) => (await firstWindow()).drop(files, x, y),
    ...viewActions(electron, firstWindow),
    emit: (event) => electron.call('emit', event),
    effects: () => electron.call('effects', null),
    clickTray: () => electron.call('clickTray', null),
    clickNotification: (id) => electron.call('clickNotification', { id }),
    setTrash: (works) => electron.call('setTrash', { works }),
    startAgain: (other) => launchDesktop({ ...options, args: other }),
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        electron.tell('finish', null)
        const timer = setTimeout(() => child.kill('SIGKILL'), endTimeout)
        await exited
        clearTimeout(timer)
      }
    },
  }
}

type ViewActions = Pick<Desktop, 'view' | 'click' | 'press' | 'inView' | 'crashView' | 'zoomWindow'>

/** Returns what a user does in the view above the page of the first window. */
function viewActions(electron: Peer<ElectronSide>, firstWindow: () => Promise<HostedWindow>): ViewActions {
  async function view(): Promise<ViewState | null> {
    const windows = await electron.call('windows', null)
    return windows.flatMap(({ views }) => views).at(-1) ?? null
  }
  async function someView(): Promise<ViewState> {
    const shown = await view()
    if (shown === null) throw new Error('The application has no view.')
    return shown
  }
  return {
    view,
    async click(at) {
      const shown = await view()
      if (shown?.visible === true && isIn(shown.bounds, at)) {
        const { x, y } = shown.bounds
        return electron.call('clickView', { view: shown.id, x: at.x - x, y: at.y - y })
      }
      await (await firstWindow()).page.mouse.click(at.x, at.y)
    },
    async press(keys) {
      const shown = await view()
      if (shown?.focused !== true) return (await firstWindow()).page.keyboard.press(keys)
      await electron.call('pressInView', { view: shown.id, ...pressOf(keys) })
    },
    inView: async (expression) => electron.call('evaluateInView', { view: (await someView()).id, expression }),
    crashView: async () => electron.call('crashView', { view: (await someView()).id }),
    zoomWindow: async (factor) => electron.call('zoomWindow', { window: (await firstWindow()).id, factor }),
  }
}

const isIn = ({ x, y, width, height }: ViewState['bounds'], at: { x: number; y: number }): boolean =>
  at.x >= x && at.y >= y && at.x < x + width && at.y < y + height

/** Converts Playwright's notation of keys. */
function pressOf(keys: string): PressedKey {
  const parts = keys.split('+')
  const key = parts.pop() ?? ''
  return {
    key,
    code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : key,
    control: parts.includes('Control'),
    shift: parts.includes('Shift'),
    alt: parts.includes('Alt'),
    meta: parts.includes('Meta'),
  }
}

/** Dialogs that have no answer yet, in order. */
function createDialogQueue() {
  const dialogs: ShownDialog[] = []
  let onAdded = (): void => {}
  return {
    add(dialog: ShownDialog): void {
      dialogs.push(dialog)
      onAdded()
    },
    /** Waits for the next dialog. Only one caller may wait at a time. */
    async next(): Promise<ShownDialog> {
      if (dialogs.length === 0)
        await new Promise<void>((resolve) => {
          onAdded = resolve
        })
      onAdded = () => {}
      const dialog = dialogs.shift()
      if (dialog === undefined) throw new Error('Two callers were waiting for one dialog.')
      return dialog
    },
  }
}

/** Repeats `look` until it returns a value. @throws Error if the application ends first */
async function until<T>(child: ChildProcess, what: string, look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`The application ended with ${child.exitCode} before the test found ${what}.`)
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
}
