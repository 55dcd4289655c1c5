import { parentPort, workerData } from 'node:worker_threads'
import type { MatchRequest, MatchResponse } from './lineMatcher.ts'

// Runs regular expressions of the folder. They can take forever, so the thread is terminated if it does not respond.

// Sent by lineMatcher.ts.
const patterns = (workerData as readonly (string | null)[]).map((each) => (each === null ? null : new RegExp(each)))

parentPort?.on('message', ({ lines }: MatchRequest) => {
  const matches = lines.map((line) => patterns.map((pattern) => pattern?.test(line) === true))
  parentPort?.postMessage({ matches } satisfies MatchResponse)
})
