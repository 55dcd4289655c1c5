import { Worker } from 'node:worker_threads'
import { ToolError } from '../../shared/errors.ts'
import { workerFile } from '../base/workerFile.ts'

/** Message to the thread. */
export interface MatchRequest {
  lines: readonly string[]
}

export interface MatchResponse {
  /** For each line, whether each pattern matches. */
  matches: boolean[][]
}

/** Matches lines with regular expressions of the folder, which must not block this thread. */
export interface LineMatcher {
  /** @throws ToolError `invalid_arguments` if a pattern is wrong or takes too long */
  match(lines: readonly string[], signal: AbortSignal): Promise<boolean[][]>
  dispose(): Promise<void>
}

/** Milliseconds for a batch of lines, with the start of the thread. */
const matchMs = 5000
/** Characters of a line that are matched. */
const maxLine = 10_000

/** Creates a matcher with a thread, which starts with the first lines. @param patterns null never matches */
export function createLineMatcher(patterns: readonly (string | null)[], limitMs = matchMs): LineMatcher {
  let worker: Worker | undefined
  return {
    async match(lines, signal) {
      signal.throwIfAborted()
      if (lines.length === 0) return []
      for (const pattern of patterns) checkPattern(pattern)
      worker ??= new Worker(workerFile(import.meta, 'lineMatcherWorker'), { workerData: patterns, execArgv: [] })
      const thread = worker
      const { promise, resolve, reject } = Promise.withResolvers<boolean[][]>()
      const onMessage = ({ matches }: MatchResponse): void => resolve(matches)
      const onAbort = (): void => reject(signal.reason)
      const timer = setTimeout(() => {
        worker = undefined
        void thread.terminate()
        reject(
          new ToolError(
            'invalid_arguments',
            `Matching a pattern took too long: ${patterns.flatMap((each) => each ?? []).join(', ')}`,
            'Simplify the background patterns in .vscode/tasks.json.',
          ),
        )
      }, limitMs)
      thread.once('message', onMessage)
      thread.once('error', reject)
      signal.addEventListener('abort', onAbort, { once: true })
      thread.postMessage({ lines: lines.map((line) => line.slice(0, maxLine)) } satisfies MatchRequest)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        thread.off('message', onMessage)
        thread.off('error', reject)
      }
    },
    async dispose() {
      await worker?.terminate()
    },
  }
}

/** Only compiles the pattern, which takes linear time. */
function checkPattern(pattern: string | null): void {
  try {
    if (pattern !== null) RegExp(pattern)
  } catch (error) {
    throw new ToolError(
      'invalid_arguments',
      `"${pattern}" is not a valid regular expression.`,
      'Correct the background patterns in .vscode/tasks.json.',
      { cause: error },
    )
  }
}
