import path from 'node:path'
import { watchBranch } from './branch.ts'
import type { Workspace } from './containment.ts'
import type { TreeListener } from './treeWatcher.ts'
import { watchProblem } from './watchProblem.ts'
import { watchInThread } from './watchThread.ts'

export interface WatchListener extends TreeListener {
  /** Called when another branch may have been checked out. */
  onBranch?(): void
}

export interface WorkspaceWatcher {
  /** Resolves when watching has started, so that no later change is missed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/**
 * Watches a workspace on disk until closed. One thread reads and watches all folders of this process, so that opening a
 * large one does not wait.
 */
export function watchWorkspace({ root }: Pick<Workspace, 'root'>, listener: WatchListener): WorkspaceWatcher {
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

  const stop = watchInThread(root, (message) => {
    if (closed) return
    if (message.kind === 'changes') {
      const { changes, overflow } = message
      if (overflow || changes.some((change) => path.posix.basename(change.path) === '.git')) branch.refresh()
      listener.onChanges(changes, overflow)
    } else if (message.kind === 'problem') reportOnce(message.message)
    else {
      if (message.kind === 'ended') reportOnce(watchProblem(message.error))
      scanned.resolve()
    }
  })

  return {
    ready: Promise.all([scanned.promise, branch.ready]).then(() => undefined),
    async close() {
      closed = true
      branch.close()
      // Settles a pending `ready`.
      scanned.resolve()
      await stop()
    },
  }
}
