import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FileChange } from '../../shared/files/files.ts'
import { workerFile } from '../base/workerFile.ts'
import { watchBranch } from './branch.ts'
import type { Workspace } from './containment.ts'
import type { TreeListener } from './treeWatcher.ts'
import { watchProblem } from './watchProblem.ts'

export interface WatchListener extends TreeListener {
  /** Called when another branch may have been checked out. */
  onBranch?(): void
}

export interface WorkspaceWatcher {
  /** Resolves when watching has started, so that no later change is missed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** Messages of the watch thread. */
export type WatchMessage =
  | { kind: 'ready' }
  | { kind: 'changes'; changes: FileChange[]; overflow: boolean }
  | { kind: 'problem'; message: string }

/**
 * Watches a workspace on disk until closed. A thread reads and watches the folder, so that opening a large one does not
 * wait.
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

  function onMessage(message: WatchMessage): void {
    if (closed) return
    if (message.kind === 'ready') scanned.resolve()
    else if (message.kind === 'problem') reportOnce(message.message)
    else {
      const { changes, overflow } = message
      if (overflow || changes.some((change) => path.posix.basename(change.path) === '.git')) branch.refresh()
      listener.onChanges(changes, overflow)
    }
  }

  // Clears this process's flags, because a thread rejects some of them.
  const worker = new Worker(workerFile(import.meta, 'watchWorker'), { workerData: root, execArgv: [] })
  worker.on('message', onMessage)
  worker.on('error', (error) => reportOnce(watchProblem(error)))
  // Settles the waits below even if the thread fails.
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  void ended.then(scanned.resolve)

  return {
    ready: Promise.all([scanned.promise, branch.ready]).then(() => undefined),
    async close() {
      closed = true
      branch.close()
      await worker.terminate()
      await ended
    },
  }
}
