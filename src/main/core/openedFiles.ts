import { EventEmitter, once } from 'node:events'
import { ToolError } from '../../shared/errors.ts'
import { isOutsideFile, outsidePath } from '../../shared/files/outsideFiles.ts'
import type { EventHub, WindowLink } from '../appServices/eventHub.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'

/** A file that a command line opens, with 1-based line and column. */
export interface OpenedFileTarget {
  /** Absolute path. */
  path: string
  line?: number | undefined
  column?: number | undefined
  /** Absolute path of a file to compare it with. */
  compareWith?: string | undefined
  /** Whether it is not shown in a window that has another folder open. */
  newWindow?: boolean | undefined
  /** Milliseconds to wait for a window; undefined to wait until there is one. */
  windowTimeout?: number
  /** Whether to show it also if it is not in the open folder. */
  outside?: boolean
  /** Called once the file is known to be shown by this core, before it is shown. */
  onFound?(): void
}

interface OpenSession {
  workspace: Workspace
  buffers: Buffers
}

/** Milliseconds in which the window opens its tabs again after the folders of the workspace changed. */
const maxReopen = 10_000

/** Shows files that a command line opens, and reports when their tabs are closed. */
export function createOpenedFiles(events: EventHub, session: () => OpenSession | undefined) {
  const arrivals = new EventEmitter()
  const ending = new AbortController()
  const waiting = { events, session, ending: ending.signal }

  /** Returns the path of the file's tab; null if it is not shown here. */
  async function tabPathOf(path: string, outside: boolean): Promise<string | null> {
    const open = session()
    if (open === undefined) return null
    try {
      return (await open.workspace.resolve(path, { missing: 'allow' })).relative
    } catch (error) {
      if (error instanceof ToolError) return outside && error.code === 'outside_workspace' ? outsidePath(path) : null
      throw error
    }
  }

  /**
   * Resolves when no tab shows the file, also after the folders of the workspace changed, or its folder was closed.
   * @param absolute path of the file
   * @throws ToolError `cancelled` if the core ends before or the text is unsaved in a closed folder, another one if the
   * tab has no text
   */
  async function closed(folder: OpenSession | undefined, tab: string, absolute: string): Promise<void> {
    if (session() === folder && folder?.buffers.get(tab) === undefined)
      throw new ToolError('refused', `${tab} could not be opened as a text, so its tab cannot be waited for.`)
    let [open, path] = [folder, tab]
    for (;;) {
      await changeOf(waiting, open, () => open?.buffers.get(path) === undefined)
      const next = session()
      if (next === open) return
      const isUnsaved = open?.buffers.get(path)?.dirty === true
      const moved = await tabPathOf(absolute, isOutsideFile(path))
      if (next !== undefined && moved !== null) {
        const isOpen = () => next.buffers.get(moved) !== undefined
        // The window opens its tabs again.
        await changeOf(waiting, next, isOpen, maxReopen)
        if (isOpen() || session() !== next) {
          ;[open, path] = [next, moved]
          continue
        }
      }
      if (isUnsaved) throw new ToolError('cancelled', `The folder was closed before ${path} was saved.`)
      return
    }
  }

  /** @throws ToolError if no window was attached in time */
  async function windowAttached(timeout: number | undefined): Promise<void> {
    if (events.editor.attached) return
    const stop = new AbortController()
    const signal = AbortSignal.any([ending.signal, stop.signal])
    const timer = timeout === undefined ? undefined : setTimeout(() => stop.abort(), timeout)
    try {
      await once(arrivals, 'attached', { signal })
    } catch (error) {
      if (!stop.signal.aborted) throw error
      throw new ToolError(
        'no_window',
        'Tizona has its folder open, but no page shows it. Open the page of Tizona, then try again.',
        '',
        { cause: error },
      )
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    attach(link: WindowLink): () => void {
      const detach = events.attach(link)
      arrivals.emit('attached')
      return detach
    },
    /**
     * Shows a file of the open folder in a tab, once there is a window. A file that does not exist gets a tab whose
     * text is saved there.
     * @returns null if the file is not shown here, also after waiting for a window, else a promise that resolves when its tab is closed, and is
     *   rejected if that cannot be known
     */
    async open({
      path,
      line,
      column,
      windowTimeout,
      outside = false,
      compareWith,
      onFound,
    }: OpenedFileTarget): Promise<{ closed: Promise<void> } | null> {
      if ((await tabPathOf(path, outside)) === null) return null
      onFound?.()
      await windowAttached(windowTimeout)
      // The window can have another folder than before.
      const relative = await tabPathOf(path, outside)
      if (relative === null) return null
      const folder = session()
      const other = compareWith === undefined ? null : await tabPathOf(compareWith, true)
      const asked = { path: relative, line, column, ...(other !== null && { compareWith: other }) }
      const shown = await events.editor.ask('editor.show', asked, ending.signal)
      const end = closed(folder, shown.path, path)
      // Most callers do not wait.
      end.catch(() => undefined)
      return { closed: end }
    },
    stop: () => ending.abort(),
  }
}

/**
 * Resolves once a tab of a session changed as expected, the window has another session, or after `timeout` milliseconds.
 * @throws ToolError cancelled
 */
async function changeOf(
  { events, session, ending }: { events: EventHub; session: () => OpenSession | undefined; ending: AbortSignal },
  open: OpenSession | undefined,
  isExpected: () => boolean,
  timeout?: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = () => {
    if (isExpected()) resolve()
  }
  const stops = [
    open?.buffers.onChanged(check),
    events.subscribe((name) => {
      if (name === 'workspace.changed' && session() !== open) resolve()
    }),
  ]
  const timer = timeout === undefined ? undefined : setTimeout(resolve, timeout)
  const end = () => reject(new ToolError('cancelled', 'Tizona ended before the tab was closed.'))
  if (ending.aborted) end()
  ending.addEventListener('abort', end, { once: true })
  check()
  try {
    await promise
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', end)
    for (const stop of stops) stop?.()
  }
}
