import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import type { WorkspaceInfo } from '../../../shared/bridge/appState.ts'
import type { Events } from '../../../shared/bridge/protocol.ts'
import { lastPart } from '../../../shared/files/workspaceFolders.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import type { OpenFile } from '../openRequests.ts'
import { isShownAt, isShownIn } from '../shownPlaces.ts'
import type { DesktopWindow } from './desktopWindow.ts'
import type { OpenPlace } from './reopenedFolders.ts'

export interface AppWindows {
  /** The core of the most recently focused window. */
  core(): Core | undefined
  /** What that window has open; undefined if nothing is. */
  shown(): WorkspaceInfo | undefined
  /** Whether a window is open. */
  hasWindow(): boolean
  /** Whether sessions go on without a window. */
  isKept(): boolean
  /** Opens the windows of the sessions that go on without one. */
  showKept(): Promise<void>
  /**
   * Shows a folder: focuses the window that has it, else opens it in a window without a folder, else in a new one. If
   * the folder cannot be opened, shows a notice in the focused window.
   */
  show(folder: string): Promise<void>
  /** Adds a folder to the workspace of the most recently focused window, or shows it if that has none. */
  add(folder: string): Promise<void>
  /** Opens a new window, empty or with a folder that no window has. */
  open(folder?: string): Promise<void>
  /**
   * Shows a window whose core is on another machine: the one that has the folder, else a new one. Disposes of a core
   * that gets no window.
   *
   * @param address of the machine
   */
  openRemote(address: string, folder: string | undefined, core: Core): Promise<void>
  /** Opens a folder without a window, unless it is open. */
  openHidden(folder: string): Promise<void>
  /** Closes a folder that is open without a window, unless it works. */
  closeHidden(folder: string): Promise<void>
  /** Shows a file in the window that has its folder open, and focuses it. */
  openFile: OpenFile
  /** Focuses the most recently focused window. */
  focusFront(): void
  /** Focuses the window that has a folder. @param address of another machine @returns whether there is one */
  focus(folder: string, address?: string): Promise<boolean>
  /**
   * Opens a folder, or none, in a new window if the sessions of a window go on without it. To show none, the window is
   * closed.
   * @returns whether they do
   */
  leave(window: DesktopWindow | null, folder: string | undefined): Promise<boolean>
  /** Creates a window if the application has none, as macOS requests on a click in the Dock. */
  reopen(): Promise<void>
  /** Runs a command of the command table in the focused window. */
  runCommand(id: string, argument?: string): void
  /** Shows an error as a notice in the focused window. */
  showError(error: unknown): void
  /** Whether there is a core that `dispose` would end. */
  isActive(): boolean
  /** Disposes of all cores. No window opens afterwards. */
  dispose(): Promise<void>
}

/** @param window the core's window, and how to open it again */
type CreateWindowCore = (window: { current(): DesktopWindow | null; show(): void }) => Promise<Core>

interface AppWindowsOptions {
  createCore: CreateWindowCore
  /** @param endsWork whether closing the window ends a running turn or command */
  createWindow(
    core: Core,
    folder: string | undefined,
    others: readonly DesktopWindow[],
    endsWork: () => boolean,
  ): Promise<DesktopWindow>
  /** Called with the open folders, the most recently focused window's last, after they or the window order changed. */
  onFolders?(folders: readonly OpenPlace[]): void
  /** Whether running turns go on when their window is closed. Default: they end. */
  keepsRunning?(): boolean
  /** Whether the application goes on without windows. Default: it quits with the last one. */
  outlivesWindows?(): boolean
  /** Called with the number of cores that go on without a window, when it changes. */
  onKept?(count: number): void
}

interface Entry {
  readonly core: Core
  /** The window, or null while it is closed. */
  readonly shown: { window: DesktopWindow | null }
  /** Address of the machine on which the core is; undefined for this one. */
  readonly address: string | undefined
  /** What is open; undefined if nothing is. Of another machine, what is known about it. */
  open: WorkspaceInfo | undefined
}

const isHere = ({ address }: Entry): boolean => address === undefined

/** Events after which a core may have nothing more to do. */
const endings: ReadonlySet<string> = new Set(['conversation.turnEnded', 'sessions.changed', 'remote.changed'])

/** Shows an error as a notice in a window once it is connected. */
function showErrorIn(entry: Entry | undefined, error: unknown): void {
  const { message, next } = toFailure(error)
  entry?.shown.window?.whenConnected((link) => link.emit('notice', { level: 'error', message, detail: next }))
}

/** Returns `AppWindows.openFile`. @param showFolder opens a folder in a window */
function openFileIn(
  entries: () => readonly Entry[],
  showFolder: (folder: string) => Promise<void>,
  openWindow: (entry: Entry) => Promise<void>,
): OpenFile {
  const find = (below: string) => entries().findLast((entry) => isHere(entry) && isShownIn(entry.open, below))
  return async (target, adopt) => {
    const folder = await rootOf(dirname(target.path))
    // As in VS Code, a file elsewhere is shown in the last window.
    const last = target.newWindow ? undefined : entries().findLast((entry) => isHere(entry) && entry.open !== undefined)
    if (find(folder) === undefined && adopt && last === undefined) await showFolder(folder)
    const entry = find(folder) ?? (adopt ? last : undefined)
    if (entry === undefined) return null
    await openWindow(entry)
    entry.shown.window?.focus()
    return entry.core.openFile({ ...target, outside: adopt })
  }
}

const windowsOf = (entries: readonly Entry[]): DesktopWindow[] => entries.flatMap(({ shown }) => shown.window ?? [])

function runCommandIn(entry: Entry | undefined, id: string, argument?: string): void {
  entry?.shown.window?.whenConnected((link) => link.emit('command', argument === undefined ? { id } : { id, argument }))
}

/** Real path of the folder, by which windows are compared. */
async function rootOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder))
}

/**
 * The windows of the application. Each has its own core and services; they share the user data folder as separate
 * processes would. Closing a window disposes of its core. The last core stays until the application quits, because
 * macOS keeps applications without windows running.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide the list of windows that all share.
export function createAppWindows({
  createCore,
  createWindow,
  onFolders,
  keepsRunning = () => false,
  outlivesWindows = () => false,
  onKept,
}: AppWindowsOptions): AppWindows {
  /** Ordered by focus; the most recently focused window is last. */
  let entries: Entry[] = []
  const ending = new Set<Promise<void>>()
  /** Those that were opened without a window and have none. */
  const hidden = new Set<Entry>()
  /** Those whose sessions go on although their window was closed. */
  const kept = new Set<Entry>()
  const changes = new Sequencer()
  let isDisposed = false

  function reportFolders(): void {
    if (!isDisposed)
      onFolders?.(
        windowed().flatMap(({ open, address }): OpenPlace[] =>
          open === undefined ? [] : [address === undefined ? open.root : { address, folder: open.root }],
        ),
      )
  }

  const windowed = (): Entry[] => entries.filter((entry) => !hidden.has(entry))
  const front = (): Entry | undefined => windowed().at(-1)

  async function createEntry(create: CreateWindowCore = createCore, address?: string): Promise<Entry> {
    const shown: Entry['shown'] = { window: null }
    const core = await create({
      current: () => shown.window,
      show() {
        const closed = entries.find((each) => each.shown === shown)
        if (closed) void openWindow(closed).then(() => closed.shown.window?.focus())
      },
    })
    if (isDisposed) {
      await core.dispose()
      throw new ToolError('cancelled', 'Tizona is closing.', 'Start it again.')
    }
    const entry: Entry = { core, shown, address, open: undefined }
    core.subscribe((name, payload) => {
      // A queued message starts the next turn right after the event.
      if (endings.has(name) && kept.has(entry)) setImmediate(() => endKept(entry))
      // The name ties the payload to the event; TypeScript does not relate the two.
      if (name !== 'workspace.changed' || !entries.includes(entry)) return
      entry.open = (payload as Events['workspace.changed']) ?? undefined
      reportFolders()
    })
    entries = [...entries, entry]
    return entry
  }

  async function openWindow(entry: Entry): Promise<void> {
    if (entry.shown.window !== null) return
    const endsWork = (): boolean =>
      entry.core.isWorking() && !keepsRunning() && (!outlivesWindows() || windowed().length > 1)
    const window = await createWindow(entry.core, entry.open?.root, windowsOf(entries), endsWork)
    entry.shown.window = window
    if (hidden.delete(entry)) reportFolders()
    if (kept.delete(entry)) onKept?.(kept.size)
    window.browserWindow.on('focus', () => {
      entries = [...entries.filter((each) => each !== entry), entry]
      reportFolders()
    })
    window.browserWindow.once('closed', () => {
      entry.shown.window = null
      if (keepsRunning() && entry.core.isWorking() && !isDisposed) {
        kept.add(entry)
        onKept?.(kept.size)
      } else if (entry.core.isTrying() && !isDisposed) {
        // It belongs to the core that started it, which also closes this one.
        hidden.add(entry)
        reportFolders()
      } else if (windowed().length > 1) void end(entry)
    })
  }

  /** Ends a core without a window once its sessions have ended. */
  function endKept(entry: Entry): void {
    if (isDisposed || entry.core.isWorking() || !kept.delete(entry)) return
    if (windowed().length > 1) void end(entry)
    onKept?.(kept.size)
  }

  /** Disposes of a closed window's core. Resolves when it has ended. */
  function end(entry: Entry): Promise<void> {
    entries = entries.filter((each) => each !== entry)
    hidden.delete(entry)
    reportFolders()
    const ended = entry.core
      .dispose()
      .catch((error: unknown) => log.error('A window was not closed completely', error))
      .finally(() => ending.delete(ended))
    ending.add(ended)
    return ended
  }

  async function focusFolder(root: string, on?: string): Promise<boolean> {
    const entry = entries.find(({ open, address }) => isShownAt(open, root) && address === on)
    if (entry === undefined) return false
    await openWindow(entry)
    entry.shown.window?.focus()
    return true
  }

  /** Opens a folder in a window's core, then shows the window. */
  async function openIn(entry: Entry, folder: string): Promise<void> {
    const failed = await entry.core.openWorkspace(folder).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    await openWindow(entry)
    if (failed) showErrorIn(entry, failed.error)
    else entry.shown.window?.focus()
  }

  async function show(folder: string, reuseEmpty: boolean): Promise<void> {
    if (isDisposed || (await focusFolder(await rootOf(folder)))) return
    const empty = reuseEmpty ? entries.findLast((entry) => entry.open === undefined && isHere(entry)) : undefined
    await openIn(empty ?? (await createEntry()), folder)
  }

  return {
    openFile: openFileIn(
      () => entries,
      (folder) => changes.queue(() => show(folder, true)),
      openWindow,
    ),
    core: () => front()?.core,
    shown: () => front()?.open,
    isKept: () => kept.size > 0,
    showKept: () =>
      changes.queue(async () => {
        for (const entry of kept) await openWindow(entry)
        front()?.shown.window?.focus()
      }),
    hasWindow: () => entries.some(({ shown }) => shown.window !== null),
    show: (folder) => changes.queue(() => show(folder, true)),
    add: (folder) =>
      changes.queue(async () => {
        const entry = front()
        if (entry?.open === undefined || !isHere(entry)) return show(folder, true)
        await openWindow(entry)
        entry.shown.window?.focus()
        runCommandIn(entry, 'workspace.addFolder', await rootOf(folder))
      }),
    open: (folder) =>
      changes.queue(async () => {
        if (folder !== undefined) return show(folder, false)
        if (!isDisposed) await openWindow(await createEntry())
      }),
    openRemote: (address, folder, core) =>
      changes.queue(async () => {
        if (isDisposed || (folder !== undefined && (await focusFolder(folder, address))))
          return void end({ core, shown: { window: null }, address, open: undefined })
        const entry = await createEntry(() => Promise.resolve(core), address)
        if (folder !== undefined) entry.open = { root: folder, name: lastPart(folder) }
        reportFolders()
        await openWindow(entry)
        entry.shown.window?.focus()
      }),
    openHidden: (folder) =>
      changes.queue(async () => {
        const root = await rootOf(folder)
        if (entries.some((entry) => isShownAt(entry.open, root) && isHere(entry))) return
        const entry = await createEntry()
        hidden.add(entry)
        try {
          await entry.core.openWorkspace(root)
        } catch (error) {
          void end(entry)
          throw error
        }
      }),
    closeHidden: (folder) =>
      changes.queue(async () => {
        const root = await rootOf(folder)
        const entry = entries.find((each) => isShownAt(each.open, root) && isHere(each) && each.shown.window === null)
        if (entry === undefined || entry.core.isWorking() || (!hidden.has(entry) && windowed().length === 1)) return
        if (kept.delete(entry)) onKept?.(kept.size)
        // Others that end may wait for this one.
        await end(entry)
      }),
    focusFront: () => front()?.shown.window?.focus(),
    focus: async (folder, address) => focusFolder(address === undefined ? await rootOf(folder) : folder, address),
    async leave(window, folder) {
      const entry = entries.find(({ shown }) => shown.window === window)
      if (!window || !keepsRunning() || entry?.core.isWorking() !== true) return false
      await changes.queue(async () => {
        if (folder === undefined) await openWindow(await createEntry())
        else await show(folder, false)
      })
      if (folder === undefined) window.browserWindow.close()
      return true
    },
    reopen: () =>
      changes.queue(async () => {
        const entry = front()
        if (entry !== undefined) await openWindow(entry)
      }),
    runCommand: (id, argument) => runCommandIn(front(), id, argument),
    showError: (error) => showErrorIn(front(), error),
    isActive: () => entries.length > 0 || ending.size > 0,
    async dispose() {
      isDisposed = true
      const last = entries
      entries = []
      await Promise.all([...last.map(({ core }) => core.dispose()), ...ending])
    },
  }
}
