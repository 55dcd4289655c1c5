import { parentPort, workerData } from 'node:worker_threads'
import { createEngine, type EngineOptions, type IndexEngine } from './engine.ts'

// The thread of one workspace's index: it parses, keeps the database, and answers.

/** A request as codeIndex.ts posts it. */
export interface WorkerRequest {
  id: number
  method: keyof IndexEngine
  params: unknown[]
}

export type WorkerMessage = { id: number; result: unknown } | { id: number; error: string } | { notice: string }

const port = parentPort
if (!port) throw new Error('The code index runs in a worker thread only.')
const post = (message: WorkerMessage): void => port.postMessage(message)

// Given by codeIndex.ts, which is the only one to start this file.
const options = workerData as Omit<EngineOptions, 'onNotice'>
const engine = createEngine({ ...options, onNotice: (notice) => post({ notice }) })

async function answer({ id, method, params }: WorkerRequest): Promise<void> {
  try {
    // The types of both sides meet in codeIndex.ts: `params` are those of the engine's method.
    const run = engine[method] as (...given: unknown[]) => unknown
    post({ id, result: await run.apply(engine, params) })
  } catch (error) {
    post({ id, error: error instanceof Error ? error.message : String(error) })
  }
  if (method === 'close') port?.close()
}

// One after another: a search that is asked after a write sees it.
let last = Promise.resolve()
port.on('message', (request: WorkerRequest) => {
  last = last.then(() => answer(request))
})
