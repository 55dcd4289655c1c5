import type { TestContext } from 'vitest'

/**
 * Copies the reason of `test.skip('why')` to the test's metadata, because Vitest's JSON report omits the reason and the
 * summary (scripts/lib/results.mjs) needs it.
 */
export function keepSkipReason(context: Pick<TestContext, 'skip' | 'task'>): void {
  // Declared with both signatures of `skip`.
  const skip = context.skip.bind(context) as (condition?: boolean | string, note?: string) => unknown
  const remembering = (condition?: boolean | string, note?: string): unknown => {
    const reason = typeof condition === 'string' ? condition : note
    if (condition !== false && reason !== undefined) Object.assign(context.task.meta, { reason })
    return skip(condition, note)
  }
  Object.assign(context, { skip: remembering })
}
