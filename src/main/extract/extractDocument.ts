import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { asSentence } from '../base/asSentence.ts'
import { JobLimitError, type ExceededLimit, type JobLimits, type RunIsolated } from '../base/isolatedJob.ts'
import { workerFile } from '../base/workerFile.ts'
import type { DocumentJob, Extracted, Unreadable } from './documentJob.ts'

/** Limits for one document. A hostile one is answered within ten seconds. */
export const documentLimits: JobLimits = { cpuMs: 6000, wallMs: 8000, memoryMb: 512 }

/**
 * Reads a document in its own process, so that a malformed document or a decompression bomb cannot block or crash this
 * one.
 * @throws ToolError too_large, timeout, refused if encrypted, invalid_encoding if broken, out_of_range for a page that
 *   does not exist
 * @param name file name for messages
 */
export async function extractDocument(
  run: RunIsolated,
  name: string,
  job: DocumentJob,
  signal: AbortSignal,
  limits = documentLimits,
): Promise<Extracted> {
  const result = await extract(run, name, job, signal, limits)
  if ('reason' in result) throw refusal(name, result)
  return result
}

async function extract(
  run: RunIsolated,
  name: string,
  job: DocumentJob,
  signal: AbortSignal,
  limits: JobLimits,
): Promise<Extracted | Unreadable> {
  try {
    // extractWorker.ts posts this type.
    return (await run(workerFile(import.meta, 'extractWorker'), job, limits, signal)) as Extracted | Unreadable
  } catch (error) {
    throw error instanceof JobLimitError ? exceeded(name, error.limit, limits, error) : error
  }
}

function exceeded(name: string, limit: ExceededLimit, { cpuMs, wallMs, memoryMb }: JobLimits, cause: Error): ToolError {
  switch (limit) {
    case 'time':
      return new ToolError(
        'timeout',
        `"${name}" was not read within ${cpuMs / 1000} seconds.`,
        'Request fewer pages, or use a smaller document.',
        { cause },
      )
    case 'wait':
      return new ToolError(
        'timeout',
        `"${name}" was not read within ${wallMs / 1000} seconds, because the machine is busy.`,
        'Read it again when other work has ended, or request fewer pages.',
        { cause },
      )
    case 'memory':
      return new ToolError(
        'too_large',
        `Reading "${name}" takes more than ${memoryMb} MB of memory; it is very large, or a decompression bomb.`,
        'Use a smaller document, or ask the user where it comes from.',
        { cause },
      )
    case 'size':
      return new ToolError(
        'too_large',
        `"${name}" cannot be read, because it has too many nested elements or a very large one.`,
        'Use another version of the document, or ask the user where it comes from.',
        { cause },
      )
  }
}

function refusal(name: string, { reason, detail }: Unreadable): ToolError {
  switch (reason) {
    case 'encrypted':
      return new ToolError(
        'refused',
        `"${name}" is encrypted and cannot be read without its password.`,
        'Ask the user for a copy without a password.',
      )
    case 'broken':
      return new ToolError(
        'invalid_encoding',
        `"${name}" is broken or has the wrong file type. ${asSentence(detail)}`,
        'Ask the user for an intact copy, or read it as a text file.',
      )
    case 'too_large':
      return new ToolError(
        'too_large',
        `"${name}" cannot be read within the memory limit. ${detail}`,
        'Use a smaller document, or ask the user where it comes from.',
      )
    case 'no_page':
      return new ToolError(
        'out_of_range',
        `"${name}" has only ${plural(Number(detail), 'page')}.`,
        detail === '0' ? 'Ask the user for a copy that is not empty.' : `Request pages from 1 to ${detail}.`,
      )
  }
}
