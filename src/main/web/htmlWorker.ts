import { parentPort, workerData } from 'node:worker_threads'
import { parseDuckDuckGoPage } from './duckDuckGoPage.ts'
import type { HtmlJob, HtmlResult } from './pageReader.ts'
import { pageMarkdown } from './pageMarkdown.ts'
import { checkNesting } from './pageNesting.ts'

// Processes one document in a worker thread (pageReader.ts).

function run(job: HtmlJob): HtmlResult {
  checkNesting(job.html)
  return job.kind === 'page'
    ? { kind: 'page', page: pageMarkdown(job.html, job.base) }
    : { kind: 'duckduckgo', answer: parseDuckDuckGoPage(job.html) }
}

// pageReader.ts sends data of this type.
parentPort?.postMessage(run(workerData as HtmlJob))
