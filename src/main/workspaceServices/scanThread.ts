import { Worker } from 'node:worker_threads'
import type { AddedPlaces } from '../approval/placeRules.ts'
import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import { workerFile } from '../base/workerFile.ts'
import type { WorkspaceScan, WorkspaceScanner } from '../command/sandbox/sandboxTypes.ts'

/** Message to the thread. */
export interface ScanRequest {
  id: number
  /** The user's protected and secret paths. */
  added: AddedPlaces
}

export interface ScannedFolder {
  /** Real path. */
  root: string
  /** What the folder's paths begin with in the workspace: '' or the name of the folder with a slash. */
  prefix: string
}

export interface ScanAnswer {
  id: number
  scan: WorkspaceScan
}

/** Scans a workspace for protected paths and secrets in a thread, which starts with the first scan. */
export function createScanThread({ root, folders }: WorkspaceRoots, added: () => AddedPlaces): WorkspaceScanner {
  const scanned: ScannedFolder[] = folders?.map(({ name, path }) => ({ root: path, prefix: `${name}/` })) ?? [
    { root, prefix: '' },
  ]
  const waiting = new Map<number, PromiseWithResolvers<WorkspaceScan>>()
  let worker: Worker | undefined
  let nextId = 1

  function start(): Worker {
    // Without this process's flags, some of which a thread does not accept.
    const started = new Worker(workerFile(import.meta, 'scanWorker'), { workerData: scanned, execArgv: [] })
    started.unref()
    started.on('message', ({ id, scan }: ScanAnswer) => {
      waiting.get(id)?.resolve(scan)
      waiting.delete(id)
      if (waiting.size === 0) started.unref()
    })
    started.on('error', fail)
    started.on('exit', () => {
      if (worker === started) worker = undefined
      fail(new Error('The scan of the folder for protected files was interrupted.'))
    })
    return started
  }

  function fail(error: unknown): void {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  return {
    async scan() {
      worker ??= start()
      const id = nextId++
      const result = Promise.withResolvers<WorkspaceScan>()
      waiting.set(id, result)
      // Keeps the process alive until the response arrives.
      worker.ref()
      worker.postMessage({ id, added: added() } satisfies ScanRequest)
      return result.promise
    },
    async dispose() {
      await worker?.terminate()
    },
  }
}
