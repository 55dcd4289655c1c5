import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage } from '../base/idleMemory.ts'
import { log } from '../base/log/log.ts'
import { sweepTemporary } from './sweepTemporary.ts'
import type { WatchMessage } from './watcher.ts'
import { watchTree } from './treeWatcher.ts'
import { watchProblem } from './watchProblem.ts'

// Entry of the watch thread (watcher.ts), which runs until the folder is closed.

const root = String(workerData)
const send = (message: WatchMessage): void => parentPort?.postMessage(message)

const watch = watchTree(root, {
  onChanges: (changes, overflow) => send({ kind: 'changes', changes, overflow }),
  onProblem: (message) => send({ kind: 'problem', message }),
})
await watch.ready
send({ kind: 'ready' })
// Runs after the scan, because both read the whole folder from disk.
await sweepTemporary(root, new AbortController().signal).catch((error: unknown) =>
  send({ kind: 'problem', message: watchProblem(error) }),
)
// The scan of 20,000 files leaves 100 MB, and an idle thread collects no garbage.
await collectGarbage().catch((error: unknown) =>
  log.warn('The memory of the watch thread could not be returned.', error),
)
