import path from 'node:path'
import { watchBranch } from './branch.ts'
import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { FileChange } from '../../shared/files/files.ts'
import type { TreeListener } from './treeWatcher.ts'
import { watchProblem } from './watchProblem.ts'
import { watchInThread, type WatchMessage } from './watchThread.ts'

export interface WatchListener extends TreeListener {
  /** Called when another branch may have been checked out. */
  onBranch?(): void
}

export interface WorkspaceWatcher {
  /** Resolves when watching has started, so that no later change is missed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** Milliseconds before each new start of a thread that ended. Then changes are not watched any more. */
const restartDelays = [1000, 10_000, 60_000]
/** Milliseconds of watching after which a crash is a first one again. */
const healthyTime = 10 * 60_000

/** Watches the folders of a workspace on disk until closed. */
export function watchWorkspace({ root, folders }: WorkspaceRoots, listener: WatchListener): WorkspaceWatcher {
  if (folders === undefined) return watchFolder(root, listener)
  const watchers = folders.map(({ name, path: folder }) =>
    watchFolder(folder, {
      ...listener,
      onChanges: (changes, overflow) =>
        listener.onChanges(
          changes.map((change) => ({ ...change, path: `${name}/${change.path}` })),
          overflow,
        ),
    }),
  )
  return {
    ready: Promise.all(watchers.map((watcher) => watcher.ready)).then(() => undefined),
    async close() {
      await Promise.all(watchers.map((watcher) => watcher.close()))
    },
  }
}

/**
 * Watches a folder on disk until closed. One thread reads and watches all folders of this process, so that opening a
 * large one does not wait. After a crash it is started again, and what may have changed is reported as an overflow.
 */
function watchFolder(root: string, listener: WatchListener): WorkspaceWatcher {
  const reported = new Set<string>()
  const scanned = Promise.withResolvers<void>()
  let closed = false

  function reportOnce(message: string): void {
    if (closed || reported.has(message)) return
    reported.add(message)
    listener.onProblem(message)
  }
  const branch = watchBranch(
    root,
    () => listener.onBranch?.(),
    (error) => reportOnce(watchProblem(error)),
  )

  let restarts = 0
  let startedAt = performance.now()
  /** Whether nobody watched for a while. */
  let hasGap = false
  let restart: NodeJS.Timeout | undefined
  let stop = watchInThread(root, receive)

  function receive(message: WatchMessage): void {
    if (closed) return
    if (message.kind === 'changes') reportChanges(message.changes, message.overflow)
    else if (message.kind === 'problem') reportOnce(message.message)
    else if (message.kind === 'ended') watchAgain(message.error)
    else if (message.kind === 'ready') {
      if (hasGap) reportChanges([], true)
      hasGap = false
      scanned.resolve()
    }
  }

  function reportChanges(changes: FileChange[], overflow: boolean): void {
    if (overflow || changes.some((change) => path.posix.basename(change.path) === '.git')) branch.refresh()
    listener.onChanges(changes, overflow)
  }

  function watchAgain(error: unknown): void {
    hasGap = true
    scanned.resolve()
    if (performance.now() - startedAt > healthyTime) restarts = 0
    const wait = restartDelays[restarts++]
    if (wait === undefined) return reportOnce(watchProblem(error))
    restart = setTimeout(() => {
      startedAt = performance.now()
      stop = watchInThread(root, receive)
    }, wait)
  }

  return {
    ready: Promise.all([scanned.promise, branch.ready]).then(() => undefined),
    async close() {
      closed = true
      clearTimeout(restart)
      branch.close()
      // Settles a pending `ready`.
      scanned.resolve()
      await stop()
    },
  }
}
