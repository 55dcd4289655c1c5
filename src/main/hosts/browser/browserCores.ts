import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { WorkspaceInfo } from '../../../shared/bridge/appState.ts'
import type { Events } from '../../../shared/bridge/protocol.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import type { OpenFile } from '../openRequests.ts'
import { isShownAt, isShownIn } from '../shownPlaces.ts'

/** Maximum number of cores without a page whose sessions do nothing. The one shown longest ago ends first. */
const maxIdle = 4
/** Milliseconds that `tizona FILE` waits for the page. */
const pageTimeout = 10_000

interface Entry {
  core: Core
  /** What is open; undefined if nothing is. */
  shown: WorkspaceInfo | undefined
}

/** The cores of the browser host. Its page shows one of them, and the sessions of the others go on. */
export interface BrowserCores {
  /** The first core, which the page shows at the start. */
  readonly first: Core
  /** Shows a folder in the page: the core that has it, or a new one. @throws like `Core.openWorkspace` */
  open(folder: string | undefined): Promise<void>
  /**
   * Shows the core that has a folder, or a new one if that of the page works, which opening the folder there would end.
   *
   * @param folder undefined: no folder
   * @returns whether the folder is shown
   */
  focus(folder: string | undefined): Promise<boolean>
  /** Opens a folder that the page does not show, unless it is open. @throws like `Core.openWorkspace` */
  openHidden(folder: string): Promise<void>
  /** Closes a folder that the page does not show, unless it works. */
  closeHidden(folder: string): Promise<void>
  /** Shows a file in the page if its folder is open. */
  readonly openFile: OpenFile
  /** Disposes of all cores. No folder opens in a new one afterwards. */
  dispose(): Promise<void>
}

/** @param onShown called with the core that the page shows from now on */
export async function createBrowserCores(
  createCore: (cores: Pick<BrowserCores, 'open' | 'focus' | 'openHidden' | 'closeHidden'>) => Promise<Core>,
  onShown: (core: Core, folder: string) => void,
): Promise<BrowserCores> {
  /** The shown one is last. */
  let entries: Entry[] = []
  const changes = new Sequencer()
  const ending = new Set<Promise<void>>()
  let isDisposed = false

  async function add(): Promise<Entry> {
    if (isDisposed) throw new ToolError('cancelled', 'Tizona is closing.', 'Start it again.')
    const core = await createCore(operations)
    const entry: Entry = { core, shown: undefined }
    core.subscribe((name, payload) => {
      // The name ties the payload to the event; TypeScript does not relate the two.
      if (name === 'workspace.changed') entry.shown = (payload as Events['workspace.changed']) ?? undefined
    })
    entries = [entry, ...entries]
    return entry
  }

  function show(entry: Entry): void {
    if (entries.at(-1) === entry) return
    entries = [...entries.filter((each) => each !== entry), entry]
    onShown(entry.core, entry.shown?.root ?? '')
    endIdle()
  }

  function endIdle(): void {
    const hidden = entries.slice(0, -1)
    const idle = hidden.filter(({ core }) => !core.isWorking())
    const ended = [
      ...idle.filter(({ shown }) => shown === undefined),
      ...idle.filter(({ shown }) => shown !== undefined).slice(0, -maxIdle),
    ]
    for (const entry of ended) void end(entry)
  }

  async function end(entry: Entry): Promise<void> {
    entries = entries.filter((each) => each !== entry)
    const ended = entry.core
      .dispose()
      .catch((error: unknown) => log.error('A folder was not closed completely', error))
      .finally(() => ending.delete(ended))
    ending.add(ended)
    await ended
  }

  async function closeHidden(folder: string): Promise<void> {
    const entry = entries.slice(0, -1).find(({ shown }) => isShownAt(shown, folder))
    if (entry && !entry.core.isWorking()) await end(entry)
  }

  async function open(folder: string | undefined): Promise<void> {
    if (folder !== undefined && (await showOpen(folder))) return
    show(await addWith(folder))
  }

  /** Adds a core, with a folder in it. */
  async function addWith(folder: string | undefined): Promise<Entry> {
    const entry = await add()
    try {
      if (folder !== undefined) await entry.core.openWorkspace(folder)
      return entry
    } catch (error) {
      entries = entries.filter((each) => each !== entry)
      await entry.core.dispose()
      throw error
    }
  }

  async function focus(folder: string | undefined): Promise<boolean> {
    if (folder !== undefined && (await showOpen(folder))) return true
    if (entries.at(-1)?.core.isWorking() !== true) return false
    await open(folder)
    return true
  }

  async function showOpen(folder: string): Promise<boolean> {
    const entry = await find(folder)
    if (entry) show(entry)
    return entry !== undefined
  }

  async function find(folder: string): Promise<Entry | undefined> {
    const root = await realpath(folder).catch(() => resolve(folder))
    return entries.find(({ shown }) => isShownAt(shown, root))
  }

  async function openFile(target: Parameters<OpenFile>[0], adopt: boolean): ReturnType<OpenFile> {
    const folder = await realpath(dirname(target.path)).catch(() => dirname(target.path))
    // The shown one first. A process is asked to adopt a file only after all have refused it.
    const entry = entries.findLast(({ shown }) => (adopt && !target.newWindow) || isShownIn(shown, folder))
    // A file that the core refuses does not move the page. The page may be closed for good.
    const onFound = () => entry && show(entry)
    return entry?.core.openFile({ ...target, outside: adopt, windowTimeout: pageTimeout, onFound }) ?? null
  }

  const operations = {
    open: (folder: string | undefined) => changes.queue(() => open(folder)),
    focus: (folder: string | undefined) => changes.queue(() => focus(folder)),
    openHidden: (folder: string) => changes.queue(async () => void ((await find(folder)) ?? (await addWith(folder)))),
    closeHidden: (folder: string) => changes.queue(() => closeHidden(folder)),
  }
  const { core: first } = await add()
  return {
    first,
    ...operations,
    openFile,
    async dispose() {
      isDisposed = true
      await changes.queue(async () => undefined)
      // Emptied first, because tries that end with their core close the folders of others.
      await Promise.all([...entries.splice(0).map(({ core }) => core.dispose()), ...ending])
    },
  }
}
