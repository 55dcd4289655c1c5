import type { BigIntStats } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settledStamp, stampOf } from './readEntries.ts'

// The end of a second, and of the two seconds that FAT tells apart.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_001_900 }))
afterEach(() => void vi.useRealTimers())

/** A file that was changed some milliseconds ago. @param modified when it was modified, if that time was reset */
function changed(ago: number, { step = 1, modified = ago } = {}): BigIntStats {
  const time = (before: number) => BigInt(Math.floor((Date.now() - before) / step) * step)
  const [mtimeMs, ctimeMs] = [time(modified), time(ago)]
  const fraction = step === 1 ? 1n : 0n
  // The function uses only these.
  return {
    size: 1n,
    ino: 1n,
    mtimeMs,
    ctimeMs,
    mtimeNs: mtimeMs * 1_000_000n + fraction,
    ctimeNs: ctimeMs * 1_000_000n + fraction,
  } as BigIntStats
}
const isSettled = (stats: BigIntStats) => settledStamp(stampOf(stats), stats) !== ''

test('a file that was just changed may change again without a new time', () => {
  expect([isSettled(changed(0)), isSettled(changed(1000))]).toEqual([false, true])
})

test('a file whose modification time was reset is certain some time after its change', () => {
  expect(isSettled(changed(0, { modified: 60_000 }))).toBe(false)
  expect(isSettled(changed(1000, { modified: 60_000 }))).toBe(true)
})

test('where times are seconds, a file is certain only after the next ones', () => {
  for (const step of [1000, 2000]) {
    expect(isSettled(changed(1000, { step }))).toBe(false)
    expect(isSettled(changed(0, { step, modified: 60_000 }))).toBe(false)
    expect(isSettled(changed(5000, { step }))).toBe(true)
  }
})
