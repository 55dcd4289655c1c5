import { parentPort, workerData } from 'node:worker_threads'
import { ToolError, type Failure } from '../../shared/errors.ts'
import { runEditJob, type EditJobResult, type EditJob } from './editJobs.ts'

// Worker entry: runs one edit of a large text (editRunner.ts).

/** Message from the worker. Errors lose their class between threads, so a ToolError is sent as a `Failure`. */
export type WorkerResult = { answer: EditJobResult } | { failure: Failure }

function answer(job: EditJob): WorkerResult {
  try {
    return { answer: runEditJob(job) }
  } catch (error) {
    if (error instanceof ToolError) return { failure: error.toFailure() }
    throw error
  }
}

// Only editRunner.ts starts this file, always with a job.
parentPort?.postMessage(answer(workerData as EditJob))
