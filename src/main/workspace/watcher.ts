import path from 'node:path'
import { watch } from 'chokidar'
import { toFailure } from '../../shared/errors.ts'
import type { FileChange } from '../../shared/files.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { watchBranch } from './branch.ts'
import { createChangeBatch } from './changeBatch.ts'
import { errorCode, fileError } from './fileErrors.ts'
import { isTemporaryName } from './textFile.ts'
import type { Workspace } from './containment.ts'

export interface WatchListener {
  /** What happened since the last call, one entry a path. `overflow`: too much to list, reload what is shown. */
  onChanges(changes: FileChange[], overflow: boolean): void
  /** Another branch may be checked out. */
  onBranch?(): void
  /** Watching is incomplete: why and what to do, in words. Each problem is told once. */
  onProblem(message: string): void
}

export interface WorkspaceWatcher {
  /** Resolves once every change from then on is noticed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** Files and folders that are followed: each folder costs the system a watch, each entry some memory. */
const maxWatched = 150_000

/** Folders of thousands of generated files: their coming and going is noticed, what happens inside is not. */
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

/** Follows a workspace on disk until it is closed. */
export function watchWorkspace(
  workspace: Pick<Workspace, 'root' | 'relative'>,
  listener: WatchListener,
): WorkspaceWatcher {
  const { root } = workspace
  const batch = createChangeBatch((changes, overflow) => listener.onChanges(changes, overflow))
  const told = new Set<string>()
  const watched = new Set<string>()

  function tell(message: string): void {
    if (told.has(message)) return
    told.add(message)
    listener.onProblem(message)
  }
  const report = (error: unknown) => tell(problemInWords(error))

  function isIgnored(given: string): boolean {
    const candidate = path.resolve(given)
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
      tell(
        `The folder holds more than ${formatNumber(maxWatched)} files, so changes in a part of it are not noticed. Open a smaller folder, or refresh the explorer by hand.`,
      )
      return true
    }
    watched.add(candidate)
    return false
  }

  const watcher = watch(root, {
    ignored: isIgnored,
    ignoreInitial: true,
    // What a link points to is watched where it lies, or is not ours to watch.
    followSymlinks: false,
    ignorePermissionErrors: true,
    // It would hide files that look like another editor's temporary ones; deleted and created again is made one change below.
    atomic: false,
  })
  const branch = watchBranch(root, () => listener.onBranch?.(), report)
  const scanned = new Promise<void>((resolve) => watcher.once('ready', () => resolve()))

  watcher.on('all', (event, given) => {
    const absolute = path.resolve(given)
    const change = kinds[event]
    if (absolute === root || change === undefined) return
    if (event === 'unlink' || event === 'unlinkDir') watched.delete(absolute)
    batch.add({ path: workspace.relative(absolute), change, directory: event === 'addDir' || event === 'unlinkDir' })
    if (path.basename(absolute) === '.git') branch.refresh()
  })
  watcher.on('error', report)

  return {
    ready: Promise.all([scanned, branch.ready]).then(() => undefined),
    async close() {
      batch.close()
      branch.close()
      await watcher.close()
    },
  }
}

function problemInWords(error: unknown): string {
  const remedy = 'Changes made outside Tizona may not be noticed.'
  switch (errorCode(error)) {
    case 'ENOSPC':
      return `The system's limit of watched folders is reached. ${remedy} On Linux, raise it with: sudo sysctl fs.inotify.max_user_watches=524288`
    case 'EMFILE':
    case 'ENFILE':
      return `The system's limit of open files or watchers is reached. ${remedy} On Linux, raise fs.inotify.max_user_instances or ulimit -n.`
    default:
      return `Watching the folder failed: ${toFailure(fileError(error, 'watch the folder')).message} ${remedy}`
  }
}
