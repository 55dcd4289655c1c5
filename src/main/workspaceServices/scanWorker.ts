import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage } from '../base/idleMemory.ts'
import { createPlaceRules, type AddedPlaces } from '../approval/placeRules.ts'
import { createFolderScan } from '../command/sandbox/folderScan.ts'
import { log } from '../base/log/log.ts'
import type { WorkspaceScan } from '../command/sandbox/sandboxTypes.ts'
import type { ScanAnswer, ScannedFolder, ScanRequest } from './scanThread.ts'

// Entry of the thread that scans a workspace (scanThread.ts).

const folders = workerData as readonly ScannedFolder[]
let rules = ''
/** Later scans read only folders that have changed. */
let isFirst = true
let scan: (() => WorkspaceScan) | undefined

parentPort?.on('message', ({ id, added }: ScanRequest) => {
  const wanted = JSON.stringify(added)
  if (scan === undefined || wanted !== rules) {
    scan = scanWith(added)
    rules = wanted
  }
  parentPort?.postMessage({ id, scan: scan() } satisfies ScanAnswer)
  if (!isFirst) return
  isFirst = false
  collectGarbage().catch((error: unknown) => log.warn('The memory of a scan could not be returned.', error))
})

function scanWith(added: AddedPlaces): () => WorkspaceScan {
  const { protection, secret } = createPlaceRules(added)
  const scans = folders.map(({ root, prefix }) =>
    createFolderScan(root, {
      isProtected: (path) => protection(prefix + path) !== undefined,
      isSecret: (path) => secret(prefix + path) !== undefined,
    }),
  )
  return () => {
    const found = scans.map((each) => each())
    return {
      git: found.flatMap(({ git }) => git),
      protectedPaths: found.flatMap(({ protectedPaths }) => protectedPaths),
      secrets: found.flatMap(({ secrets }) => secrets),
      writable: new Map(found.flatMap(({ writable }) => [...writable])),
      partial: found.some(({ partial }) => partial),
    }
  }
}
