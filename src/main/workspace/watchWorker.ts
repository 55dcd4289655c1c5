import { parentPort } from 'node:worker_threads'
import { collectGarbage } from '../base/idleMemory.ts'
import { log } from '../base/log/log.ts'
import { sweepTemporary } from './sweepTemporary.ts'
import type { FolderMessage, WatchMessage, WatchRequest } from './watchThread.ts'
import { watchTree } from './treeWatcher.ts'
import { watchProblem } from './watchProblem.ts'

// Entry of the watch thread (watchThread.ts).

const folders = new Map<number, () => Promise<void>>()

const send = (message: FolderMessage): void => parentPort?.postMessage(message)

async function watchFolder(folder: number, root: string): Promise<void> {
  const report = (message: WatchMessage): void => send({ folder, message })
  const closed = new AbortController()
  const watch = watchTree(root, {
    onChanges: (changes, overflow) => report({ kind: 'changes', changes, overflow }),
    onProblem: (message) => report({ kind: 'problem', message }),
  })
  folders.set(folder, async () => {
    closed.abort()
    await watch.close()
  })
  await watch.ready
  report({ kind: 'ready' })
  // Runs after the scan, because both read the whole folder from disk.
  await sweepTemporary(root, closed.signal).catch((error: unknown) => {
    if (!closed.signal.aborted) report({ kind: 'problem', message: watchProblem(error) })
  })
  // The scan of 20,000 files leaves 100 MB, and an idle thread collects no garbage.
  await collectGarbage().catch((error: unknown) =>
    log.warn('The memory of the watch thread could not be returned.', error),
  )
}

async function close(folder: number): Promise<void> {
  const end = folders.get(folder)
  folders.delete(folder)
  await end?.().catch((error: unknown) => log.warn('A folder is still watched.', error))
  send({ folder, message: { kind: 'closed' } })
}

parentPort?.on('message', (request: WatchRequest) => {
  void (request.kind === 'watch' ? watchFolder(request.folder, request.root) : close(request.folder))
})
