import type { JudgedExpression } from '../../../shared/extensions/languageConfiguration.ts'
import { JobLimitError, type JobLimits, type RunIsolated } from '../../base/isolatedJob.ts'
import { workerFile } from '../../base/workerFile.ts'
import type { JudgeExpressions } from './extensionRecord.ts'

const limits: JobLimits = { cpuMs: 20_000, wallMs: 30_000, memoryMb: 256 }

/**
 * Creates the judge of regular expressions. It proves a bound for the time of each, and matches it with texts that make such expressions slow, in a process of
 * its own with a time limit.
 */
export function createExpressionJudge(run: RunIsolated): JudgeExpressions {
  return async (expressions) => {
    const worker = workerFile(import.meta, 'expressionWorker')
    try {
      // expressionWorker.ts posts this type.
      return (await run(
        worker,
        expressions satisfies readonly JudgedExpression[],
        limits,
        new AbortController().signal,
      )) as boolean[]
    } catch (error) {
      if (error instanceof JobLimitError) return expressions.map(() => false)
      throw error
    }
  }
}
