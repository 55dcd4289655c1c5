import path from 'node:path'
import { watch } from 'chokidar'
import type { FileChange } from '../../shared/files/files.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { isOrWasPlaceholder } from '../base/placeholderFolder.ts'
import { createChangeBatch } from './changeBatch.ts'
import { isTemporaryName } from './textFile.ts'
import { watchProblem } from './watchProblem.ts'

export interface TreeListener {
  /**
   * Receives the changes since the last call, one per path. With `overflow`, there were too many to report, so reload
   * all displayed files.
   */
  onChanges(changes: FileChange[], overflow: boolean): void
  /** Receives a message with cause and hint if watching is incomplete. Each message is sent once. */
  onProblem(message: string): void
}

export interface TreeWatcher {
  /** Resolves when watching has started, so that no later change is missed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** Maximum number of watched files and folders. A folder costs a system watch, an entry some memory. */
const maxWatched = 150_000

/** Folders with thousands of generated files. Only their creation and deletion is reported, not changes inside. */
const heavyFolders = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  '.venv',
  'venv',
  'target',
  'Pods',
  '.gradle',
  '.cache',
  '.next',
  '.nuxt',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.yarn',
  '.pnpm-store',
  '.git',
  '.hg',
  '.svn',
])

const kinds: Partial<Record<string, FileChange['change']>> = {
  add: 'created',
  addDir: 'created',
  change: 'changed',
  unlink: 'deleted',
  unlinkDir: 'deleted',
}

/**
 * Watches a folder on disk until closed. The first scan reads every folder, which takes seconds for a large tree, so
 * the caller runs this in a thread (watcher.ts).
 * @param root real path
 */
export function watchTree(root: string, listener: TreeListener): TreeWatcher {
  const batch = createChangeBatch((changes, overflow) => listener.onChanges(changes, overflow))
  const reported = new Set<string>()
  const watched = new Set<string>()
  /** Sandbox placeholders. Not reported until something is created inside. */
  const placeholders = new Set<string>()

  function reportOnce(message: string): void {
    if (reported.has(message)) return
    reported.add(message)
    listener.onProblem(message)
  }

  function isIgnored(changedPath: string): boolean {
    const candidate = path.resolve(changedPath)
    if (candidate === root) return false
    if (isTemporaryName(path.basename(candidate))) return true
    if (
      path
        .relative(root, path.dirname(candidate))
        .split(path.sep)
        .some((name) => heavyFolders.has(name))
    )
      return true
    if (watched.has(candidate)) return false
    if (watched.size >= maxWatched) {
      reportOnce(
        `The folder has more than ${formatNumber(maxWatched)} files, so changes in part of it are not detected. Open a smaller folder, or refresh the explorer.`,
      )
      return true
    }
    watched.add(candidate)
    return false
  }

  function add(absolute: string, change: FileChange['change'], directory: boolean): void {
    batch.add({ path: path.relative(root, absolute).split(path.sep).join('/'), change, directory })
  }

  /** Whether an event is about a placeholder. Reports one that something else has filled. */
  function isOfPlaceholder(event: string, absolute: string): boolean {
    const folder = path.dirname(absolute)
    if (placeholders.delete(folder)) add(folder, 'created', true)
    if (folder !== root) return false
    if (event === 'unlinkDir') return placeholders.delete(absolute)
    if (event !== 'addDir' || !isOrWasPlaceholder(absolute)) return false
    placeholders.add(absolute)
    return true
  }

  const watcher = watch(root, {
    ignored: isIgnored,
    ignoreInitial: true,
    // A link's target is watched at its own path if it is inside the workspace.
    followSymlinks: false,
    ignorePermissionErrors: true,
    // Off, because it hides files that look like another editor's temporary files. The batch merges deletion and
    // creation.
    atomic: false,
  })
  const ready = new Promise<void>((resolve) => watcher.once('ready', () => resolve()))

  watcher.on('all', (event, changedPath) => {
    const absolute = path.resolve(changedPath)
    const change = kinds[event]
    if (absolute === root || change === undefined) return
    if (event === 'unlink' || event === 'unlinkDir') watched.delete(absolute)
    if (isOfPlaceholder(event, absolute)) return
    add(absolute, change, event === 'addDir' || event === 'unlinkDir')
  })
  watcher.on('error', (error) => reportOnce(watchProblem(error)))

  return {
    ready,
    async close() {
      batch.close()
      await watcher.close()
    },
  }
}
