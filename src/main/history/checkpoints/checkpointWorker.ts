import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from './readingThread.ts'
import { findEntrySync, readFileSync } from './readEntriesSync.ts'

// Entry of the thread that reads a workspace for checkpoints (readingThread.ts).

const root = String(workerData)

parentPort?.on('message', ({ id, places, maxBytes }: ThreadRequest) => {
  if (maxBytes === undefined) {
    parentPort?.postMessage({
      id,
      found: places.map((place) => findEntrySync(path.join(root, place))),
    } satisfies ThreadAnswer)
    return
  }
  const contents: Buffer[] = []
  const read = places.map((place) => {
    const file = readFileSync(path.join(root, place), maxBytes)
    if (file.kind !== 'content') return file
    contents.push(file.content)
    return { kind: 'content' as const, hash: file.hash, stamp: file.stamp, length: file.content.length }
  })
  // Memory of its own, which is handed over instead of copied.
  const bytes = new Uint8Array(contents.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const content of contents) {
    bytes.set(content, at)
    at += content.length
  }
  parentPort?.postMessage({ id, read, bytes } satisfies ThreadAnswer, [bytes.buffer])
})
