import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

/** Without the flags, a process uses more than twice as much memory after these parses, and continues to grow. */
const maxMegabytes = 400

test.each(['index.ts', 'serve.ts', 'headless.ts'])(
  'a process started as %s parses Swift in bounded memory',
  { timeout: 60_000 },
  async (entry) => {
    const { stdout } = await run(process.execPath, [
      path.join(import.meta.dirname, '../testing/swiftParse.ts'),
      path.join(import.meta.dirname, '..', entry),
    ])
    const peak = Number(/^peak (\d+)$/m.exec(stdout)?.[1])
    expect(peak).toBeGreaterThan(50)
    expect(peak).toBeLessThan(maxMegabytes)
  },
)

test('this test process has the flag too, so the optimizing compiler cannot crash a unit test', () => {
  expect(process.execArgv).toContain('--liftoff-only')
})
