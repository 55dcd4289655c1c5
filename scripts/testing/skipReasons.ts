import type { TestContext } from 'vitest'

/**
 * Copies the reason of `test.skip('why')` to the test's meta data: Vitest's JSON report leaves the reason out, and
 * scripts/lib/results.mjs names it in the closing lines.
 */
export function keepSkipReason(context: Pick<TestContext, 'skip' | 'task'>): void {
  const skip: (condition?: boolean | string, note?: string) => unknown = context.skip.bind(context)
  const remembering = (condition?: boolean | string, note?: string): unknown => {
    const reason = typeof condition === 'string' ? condition : note
    if (condition !== false && reason !== undefined) Object.assign(context.task.meta, { reason })
    return skip(condition, note)
  }
  // One function for both of its signatures.
  context.skip = remembering as TestContext['skip']
}
