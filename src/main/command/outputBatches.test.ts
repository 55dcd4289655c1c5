import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOutputBatches } from './outputBatches.ts'

// Uses fake timers, so that the amount of skipped output is the same on every machine.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const mark = /\r\n.{6}\[… ([\d,]+) characters skipped: output too fast …\].{4}\r\n/g
const line = `${'0123456789'.repeat(10)}\r\n`

/**
 * Writes `bytes` per millisecond for some time.
 * @returns the output passed on, and the number of skipped characters it reports
 */
function write(milliseconds: number, bytes: number): { handed: string; left: number } {
  let handed = ''
  const batches = createOutputBatches((data) => {
    handed += data
  })
  for (let time = 0; time < milliseconds; time += 1) {
    batches.add(line.repeat(Math.round(bytes / line.length)))
    vi.advanceTimersByTime(1)
  }
  batches.flush()
  const left = [...handed.matchAll(mark)].reduce((sum, [, count = '']) => sum + Number(count.replaceAll(',', '')), 0)
  return { handed, left }
}

describe('output on its way to the panel', () => {
  it('is limited to a burst of one megabyte and 4 MiB per second, and notes count the rest', () => {
    const written = Math.round(40_960 / line.length) * line.length * 1000
    const { handed, left } = write(1000, 40_960)
    const text = handed.replaceAll(mark, '')
    expect(text.length).toBeLessThanOrEqual((1 + 4) * 1024 * 1024 + 2 * 64 * 1024)
    expect(text.length).toBeGreaterThan(4 * 1024 * 1024)
    expect(text.length + left).toBe(written)
    expect(handed.endsWith(line)).toBe(true)
    expect(text.replaceAll(line, '')).toBe('')
  })

  it('is complete below that rate', () => {
    expect(write(1000, 3000)).toEqual({ handed: line.repeat(Math.round(3000 / line.length) * 1000), left: 0 })
  })
})
