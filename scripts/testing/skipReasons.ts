import type { TestContext } from 'vitest'

/**
 * Copies the reason of `test.skip('why')` to the test's meta data: Vitest's JSON report leaves the reason out, and
 * scripts/lib/results.mjs names it in the closing lines.
 */
export function keepSkipReason(context: Pick<TestContext, 'skip' | 'task'>): void {
  // One function for both of its signatures.
  const skip = context.skip.bind(context) as (condition?: boolean | string, note?: string) => unknown
  const remembering = (condition?: boolean | string, note?: string): unknown => {
    const reason = typeof condition === 'string' ? condition : note
    if (condition !== false && reason !== undefined) Object.assign(context.task.meta, { reason })
    return skip(condition, note)
  }
  Object.assign(context, { skip: remembering })
}
