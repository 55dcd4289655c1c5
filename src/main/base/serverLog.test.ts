import { expect, test } from 'vitest'
import { createServerLog } from './serverLog.ts'

test('truncates a megabyte of unfinished escape sequences without blocking', () => {
  const log = createServerLog()
  log.add('\u001b]'.repeat(500_000))
  log.write(Buffer.from(`${'\u001b]'.repeat(500_000)}\n\u001b[31mred\u001b[0m\n`))
  expect(log.lines().at(-1)).toBe('red')
  expect(Math.max(...log.lines().map((line) => line.length))).toBeLessThan(600)
})
