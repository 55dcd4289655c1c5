import { ToolError } from '../../shared/errors.ts'
import { JobLimitError, type JobLimits, type RunIsolated } from '../base/isolatedJob.ts'
import { workerFile } from '../base/workerFile.ts'
import type { DuckDuckGoResponse } from './duckDuckGoPage.ts'
import type { Page } from './pageMarkdown.ts'

/** A document for the worker to process. */
export type HtmlJob = { kind: 'page'; html: string; base: string } | { kind: 'duckduckgo'; html: string }
export type HtmlResult = { kind: 'page'; page: Page } | { kind: 'duckduckgo'; answer: DuckDuckGoResponse }

/** Limits for one page. Typical pages take a tenth of a second; a hostile one is answered within ten seconds. */
export const pageLimits: JobLimits = { cpuMs: 5000, wallMs: 8000, memoryMb: 256 }

/**
 * Converts a page to Markdown in its own process.
 * @throws ToolError too_large if it is nested too deeply or takes too long, timeout if the machine is too busy
 */
export async function readPage(
  run: RunIsolated,
  html: string,
  base: string,
  signal: AbortSignal,
  limits = pageLimits,
): Promise<Page> {
  const result = await convert(run, { kind: 'page', html, base }, signal, limits)
  if (result.kind !== 'page') throw new Error(`The worker answered ${result.kind}.`)
  return result.page
}

/** Parses a DuckDuckGo result page in its own process. @throws ToolError too_large, timeout */
export async function readDuckDuckGo(run: RunIsolated, html: string, signal: AbortSignal): Promise<DuckDuckGoResponse> {
  const result = await convert(run, { kind: 'duckduckgo', html }, signal, pageLimits)
  if (result.kind !== 'duckduckgo') throw new Error(`The worker answered ${result.kind}.`)
  return result.answer
}

async function convert(run: RunIsolated, job: HtmlJob, signal: AbortSignal, limits: JobLimits): Promise<HtmlResult> {
  try {
    // htmlWorker.ts posts this type.
    return (await run(workerFile(import.meta, 'htmlWorker'), job, limits, signal)) as HtmlResult
  } catch (error) {
    if (!(error instanceof JobLimitError)) throw error
    if (error.limit === 'wait')
      throw new ToolError(
        'timeout',
        `The page was not converted to text within ${limits.wallMs / 1000} seconds, because the machine is busy.`,
        'Fetch it again when other work has ended, or fetch another source.',
        { cause: error },
      )
    throw new ToolError(
      'too_large',
      error.limit === 'time'
        ? 'The page takes too long to convert to text.'
        : 'The page cannot be converted to text. It has too many elements, or too many nested ones.',
      'Fetch another page with the same information.',
      { cause: error },
    )
  }
}
