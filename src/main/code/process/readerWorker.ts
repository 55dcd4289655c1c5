import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { createFileReader, type FileReading } from '../index/fileReader.ts'
import { useEngineModule, type CompiledModule } from '../index/grammars.ts'
import { readGivenFile, type FileToRead } from '../index/readerPool.ts'
import { createSymbolReader } from '../index/symbolReader.ts'

/** Index while no file is being read, as in readerThreads.ts. */
const noFile = -1
/**
 * Gives the window three quarters of a processor that both need. A model server on the same processor does not stop
 * the index.
 */
const readerNiceness = 5

// A thread of the index process that reads chunks of files into rows. Started by readerThreads.ts.

/** Passed by readerThreads.ts. */
export interface ReaderWorkerData {
  workspace: WorkspaceRoots
  grammars: string
  /** Index of the current file in its chunk, or -1; number of files read. */
  state: Int32Array
}

/** A message from readerThreads.ts: the compiled tree-sitter engine, then one chunk of files at a time. */
export type ReaderTask = { engine: CompiledModule } | { files: readonly FileToRead[] }

/** A message to readerThreads.ts: what was read from a chunk, or a message for the user. */
export type ReaderMessage = { readings: FileReading[] } | { notice: string }

// Passed by readerThreads.ts, the only file that starts this one.
const { workspace, grammars, state } = workerData as ReaderWorkerData
lowerPriority()
const post = (message: ReaderMessage): void => parentPort?.postMessage(message)
const reader = createFileReader(workspace, createSymbolReader({ grammars, onNotice: (notice) => post({ notice }) }))

async function readChunk(files: readonly FileToRead[]): Promise<void> {
  const readings: FileReading[] = []
  for (const [position, file] of files.entries()) {
    Atomics.store(state, 0, position)
    readings.push(await readGivenFile(reader, file))
    Atomics.add(state, 1, 1)
  }
  Atomics.store(state, 0, noFile)
  post({ readings })
}

/** Lets the window and its requests run first. Only Linux has per-thread priorities, set by thread id. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(threadId, readerNiceness)
  } catch {
    // Without access to /proc, the thread reads with normal priority.
  }
}

parentPort?.on('message', (task: ReaderTask) => {
  if ('engine' in task) useEngineModule(task.engine)
  else void readChunk(task.files)
})
