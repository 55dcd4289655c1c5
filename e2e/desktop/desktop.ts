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
  ShownDialog,
  ShownMenuItem,
  TestSide,
  WindowState,
} from './operations.ts'
import { createPeer, type Peer } from './peer.ts'
import { windowOperations, type HostedWindow } from './windowHost.ts'

export type { Effect, ShownDialog, ShownMenuItem, WindowState } from './operations.ts'

export interface DesktopOptions
  extends Pick<HarnessConfig, 'app' | 'args'>, Partial<Pick<HarnessConfig, 'packaged' | 'displays' | 'keychain'>> {
  context: BrowserContext
  env: NodeJS.ProcessEnv
  /** Folder for what outlives the application: trash and keychain. */
  state: string
  cwd?: string
}

/** A dialog that waits for its user. */
export interface Dialog {
  shown: ShownDialog
  answer(answer: DialogAnswer): Promise<void>
  /** Presses a button of a message by its text. */
  press(button: string): Promise<void>
}

/** A running application, and what its user and its system do to it. */
export interface Desktop {
  process: ChildProcess
  /** Settles with the exit code. */
  exited: Promise<number>
  /** The page of the window, once the application shows one. */
  page(): Promise<Page>
  windows(): Promise<WindowState[]>
  /** Waits for a dialog that nobody has answered. */
  dialog(): Promise<Dialog>
  menu(): Promise<ShownMenuItem[]>
  clickMenu(...path: string[]): Promise<void>
  closeWindow(): Promise<void>
  changeWindow(change: Omit<Parameters<ElectronSide['changeWindow']>[0], 'window'>): Promise<void>
  /** Ends the process of the window's page. */
  crashPage(): Promise<void>
  /** Drops files from the file manager on a place of the window. */
  drop(files: string[], at: { x: number; y: number }): Promise<void>
  emit(event: Parameters<ElectronSide['emit']>[0]): Promise<void>
  effects(): Promise<Effect[]>
  /** Makes the system's trash refuse, or take things again. */
  setTrash(works: boolean): Promise<void>
  /** Starts the application once more beside this one, with other arguments. It has no window here. */
  startAgain(args: string[]): Promise<Desktop>
  /** Ends the application without asking anybody, and waits until it is gone. */
  end(): Promise<void>
}

/** How long an application may take to end when the system shuts down. Milliseconds. */
const patience = 15_000

/** Starts an application's built entry on this Node with a stand-in for Electron; its windows are pages of `context`. */
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
  // The name is host.ts's `configVariable`, which only the application's process may import.
  const child = fork(join(import.meta.dirname, 'electron', 'run.ts'), [], {
    cwd,
    env: { ...env, DESKTOP_HARNESS_CONFIG: JSON.stringify(config) },
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const windows = new Map<number, Promise<HostedWindow>>()
  const dialogs: ShownDialog[] = []
  let changed = (): void => {}
  const events: Pick<TestSide, 'dialogShown'> = {
    dialogShown(dialog) {
      dialogs.push(dialog)
      changed()
    },
  }
  const wire = {
    send: (message: unknown) => void (child.connected && child.send(message as object)),
    onMessage: (listener: (message: unknown) => void) => void child.on('message', listener),
  } // Messages are objects.
  const electron: Peer<ElectronSide> = createPeer<ElectronSide>(
    wire,
    windowOperations(context, () => electron, windows, events),
  )
  const exited = once(child, 'exit').then(async ([code]) => {
    // A system takes the windows of a process that is gone off the screen.
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

  /** Waits for a state of the application that comes about by itself, or for its end. */
  async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
    for (;;) {
      if (child.exitCode !== null)
        throw new Error(`The application ended with ${child.exitCode} while it was waited for ${what}.`)
      const found = await look()
      if (found !== null) return found
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
  }

  return {
    process: child,
    exited,
    page: () =>
      until('a window', async () => {
        const shown = (await electron.call('windows', null)).find(({ visible }) => visible)
        const window = shown === undefined ? undefined : await windows.get(shown.id)
        return window?.page ?? null
      }),
    windows: () => electron.call('windows', null),
    async dialog() {
      const shown =
        dialogs.shift() ??
        (await new Promise<ShownDialog | undefined>((resolve) => {
          changed = () => {
            changed = () => {}
            resolve(dialogs.shift())
          }
        }))
      if (shown === undefined) throw new Error('Two were waiting for one dialog.')
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
    closeWindow: async () => electron.call('closeWindow', { window: (await firstWindow()).id }),
    changeWindow: async (change) => electron.call('changeWindow', { window: (await firstWindow()).id, ...change }),
    crashPage: async () => (await firstWindow()).crash(),
    drop: async (files, { x, y }) => (await firstWindow()).drop(files, x, y),
    emit: (event) => electron.call('emit', event),
    effects: () => electron.call('effects', null),
    setTrash: (works) => electron.call('setTrash', { works }),
    startAgain: (other) => launchDesktop({ ...options, args: other }),
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        electron.tell('finish', null)
        const timer = setTimeout(() => child.kill('SIGKILL'), patience)
        await exited
        clearTimeout(timer)
      }
    },
  }
}
