import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import type { ThreadResponse, ThreadRequest } from './entryThread.ts'
import type { FileToRead } from './readEntries.ts'
import { findEntrySync, readFileSync } from './readEntriesSync.ts'
import { createWatchedFolders } from './watchedFolders.ts'

// Entry of the thread that reads a workspace for checkpoints (entryThread.ts).

const workspace = workerData as WorkspaceRoots
const folders = createWatchedFolders(workspace)

// `path.join` takes longer than reading a small file.
const absoluteOf = (place: string): string =>
  workspace.folders ? absoluteIn(workspace, place) : workspace.root + path.sep + place

parentPort?.on('message', (request: ThreadRequest) => {
  const { id } = request
  if ('changesSince' in request) {
    // It never rejects.
    void folders
      .changesSince(request.changesSince)
      .then((changes) => parentPort?.postMessage({ id, changes } satisfies ThreadResponse))
  } else if ('list' in request) {
    const listed = request.list.map(({ place, known }) => folders.list(place, known))
    parentPort?.postMessage({ id, listed } satisfies ThreadResponse)
  } else if ('find' in request) {
    const found = request.find.map((place) => findEntrySync(absoluteIn(workspace, place)))
    parentPort?.postMessage({ id, found } satisfies ThreadResponse)
  } else read(id, request.read, request.maxBytes)
})

function read(id: number, found: readonly FileToRead[], maxBytes: number): void {
  const contents: Buffer[] = []
  const files = found.map((entry) => {
    const file = readFileSync(absoluteOf(entry.place), entry, maxBytes)
    if (file.kind !== 'content') return file
    contents.push(file.content)
    return { kind: 'content' as const, hash: file.hash, stamp: file.stamp, length: file.content.length }
  })
  // A separate buffer can be transferred instead of copied.
  const bytes = new Uint8Array(contents.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const content of contents) {
    bytes.set(content, at)
    at += content.length
  }
  parentPort?.postMessage({ id, read: files, bytes } satisfies ThreadResponse, [bytes.buffer])
}
