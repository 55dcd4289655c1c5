import { parentPort, workerData } from 'node:worker_threads'
import { duckDuckGoResults } from './duckDuckGoPage.ts'
import type { HtmlJob, HtmlResult } from './pageReader.ts'
import { pageMarkdown } from './pageMarkdown.ts'

// Runs in a thread of its own for one document, see html.ts.

function run(job: HtmlJob): HtmlResult {
  return job.kind === 'page'
    ? { kind: 'page', page: pageMarkdown(job.html, job.base) }
    : { kind: 'duckduckgo', answer: duckDuckGoResults(job.html) }
}

// The host types what it sends.
parentPort?.postMessage(run(workerData as HtmlJob))
