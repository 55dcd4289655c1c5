import { describe, expect, test } from 'vitest'
import { chosenCases, isLongForm } from '../../src/main/testing/longForm.ts'
import { runSession, type SessionRun } from './runSession.ts'

const timeout = 120_000
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const sessions = [
  // Tools and instructions leave little room here.
  { profile: 'minimal', window: 4096, requestsBetween: 4, fewest: 2 },
  { profile: 'compact', window: 8192, requestsBetween: 6, fewest: 3 },
  { profile: 'medium', window: 16_384, requestsBetween: 9, fewest: 3 },
  { profile: 'full', window: 32_768, requestsBetween: 15, fewest: 3 },
  { profile: 'compact', window: 32_768, requestsBetween: 15, fewest: 3 },
] as const

/** The session ends well, and compactions are far apart. */
function expectCalm(run: SessionRun, requestsBetween: number, fewest = 3): void {
  expect(new Set(run.outcomes)).toEqual(new Set(['done']))
  expect(run.requests).toBeGreaterThan(55)
  expect(run.refused).toBe(0)
  expect(run.compactions).toBeGreaterThan(0)
  expect(mean(run.runs)).toBeGreaterThanOrEqual(requestsBetween)
  expect(Math.min(...run.runs)).toBeGreaterThanOrEqual(fewest)
}

describe('between compactions every prompt begins with the whole one before', () => {
  test.each(chosenCases(sessions, 2))(
    'with the profile $profile at $window tokens',
    { timeout },
    async ({ requestsBetween, fewest, ...options }) => {
      const run = await runSession(options)
      expect(run.broken).toEqual([])
      expectCalm(run, requestsBetween, fewest)
    },
  )

  if (!isLongForm) return

  test('for a hybrid model whose template preserves its thinking', { timeout }, async () => {
    const options = { window: 32_768, profile: 'full', template: 'keepsThinking', hybrid: true } as const
    const run = await runSession({ ...options, model: 'qwen3.6-27b' })
    expect(run.broken).toEqual([])
    expectCalm(run, 15)
    expect(run.cachedShare).toBeGreaterThan(0.9)
  })

  test('except at a message of the user, where the template strips earlier thinking', { timeout }, async () => {
    const run = await runSession({ window: 32_768, profile: 'full', template: 'stripsThinking', model: 'qwen3-8b' })
    expectCalm(run, 15)
    expect(run.broken.length).toBeGreaterThan(0)
    expect(run.turnStarts).toEqual(expect.arrayContaining(run.broken))
  })
})
