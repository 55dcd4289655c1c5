import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'

const run = promisify(execFile)

/** A command line that sleeps, and a way to find its process, whose id differs in a sandbox. */
export function markedSleep(): { command: string; pid(): Promise<number> } {
  const argument = `300.${randomInt(1_000_000_000)}`
  return {
    command: `exec sleep ${argument}`,
    pid: () =>
      vi.waitFor(async () => {
        const { stdout } = await run('ps', ['-A', '-o', 'pid=,args='])
        const line = stdout
          .split('\n')
          .find((each) => each.trim().endsWith(` sleep ${argument}`) && /^\s*\d+ sleep /.test(each))
        expect(line).toBeDefined()
        return Number.parseInt(line ?? '', 10)
      }),
  }
}
