import { parentPort, workerData } from 'node:worker_threads'
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
