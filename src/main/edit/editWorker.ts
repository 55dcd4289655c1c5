import { parentPort, workerData } from 'node:worker_threads'
import { ToolError, type Failure } from '../../shared/errors.ts'
import { runEditJob, type EditAnswer, type EditJob } from './editJobs.ts'

// The worker's entry: one job a worker, for edits of large texts (editRunner.ts).

/** An error loses its class on the way between threads, so a foreseen one travels as a `Failure`. */
export type WorkerAnswer = { answer: EditAnswer } | { failure: Failure }

function answer(job: EditJob): WorkerAnswer {
  try {
    return { answer: runEditJob(job) }
  } catch (error) {
    if (error instanceof ToolError) return { failure: error.toFailure() }
    throw error
  }
}

// Only editRunner.ts starts this file, and always with a job.
parentPort?.postMessage(answer(workerData as EditJob))
