import { describe, expect, it } from 'vitest'
import type { ApprovalRule } from '../../shared/tools/approvalRules.ts'
import { readOnlyForm } from '../approval/readOnly/readOnlyForm.ts'
import { findHiddenCommands } from '../approval/commandsBehindLaunchers.ts'
import { findRestriction } from '../approval/userRules.ts'
import { destructiveReasons } from './destructive.ts'
import { readInvocations } from './invocations.ts'
import { needsNetwork } from './sandbox/networkCommands.ts'
import { parseShellLine } from './shellParse.ts'
import { readShellLine } from './shellReading.ts'

// A model or a task file can bring any line. While it is examined, the window must not stop.

/** Far above the limits of 40 ms, and far below what the lines took without them: seconds to hours. */
const maxMilliseconds = 400

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const fill = (text: string, length: number): string => text.repeat(Math.floor(length / text.length))

describe('a long line is examined in little time', () => {
  it.each(['a <<b;', 'a|', '$(', '"', 'case a in ', 'ls >a ', '{a,', '(', '`', '[['])('of many %j', async (part) => {
    await parseShellLine('ls')
    for (const length of [9_999, 99_999]) {
      const line = fill(part, length)
      for (const work of [parseShellLine, readInvocations, readShellLine, destructiveReasons])
        expect(await processorTime(() => work(line)), `${work.name} ${length}`).toBeLessThan(maxMilliseconds)
    }
  })

  it('of programs that run another one', async () => {
    expect(await processorTime(() => needsNetwork([Array(2000).fill('env') as string[]]))).toBeLessThan(maxMilliseconds)
    const words = fill('xargs ', 60_000)
    expect(await processorTime(() => destructiveReasons(words))).toBeLessThan(maxMilliseconds)
    const rules = ['rm', 'git push', 'sudo <word>'].map(
      (pattern): ApprovalRule => ({ decision: 'deny', match: 'form', pattern, folder: null }) as ApprovalRule,
    )
    const find = async () => findRestriction(rules, 'deny', await findHiddenCommands(words, readShellLine))
    expect(await processorTime(find)).toBeLessThan(maxMilliseconds)
  })

  it('of blanks in a script of sed', async () => {
    const script = `${' '.repeat(9_000)}x`
    expect(await processorTime(() => readOnlyForm(['sed', '-n', script]))).toBeLessThan(maxMilliseconds)
  })
})

it('a line that takes too long to read counts as unknown, not as harmless', async () => {
  const line = `${fill('a <<b;', 90_000)} rm -rf src`
  expect(await readInvocations(line)).toBeUndefined()
  expect(await destructiveReasons(line)).toEqual(['The command line is too long to check.'])
})

it('a program behind others still gets network', () => {
  expect(needsNetwork([['env', 'A=1', 'timeout', '5', 'npm', 'install']])).toBe(true)
  expect(needsNetwork([['env', 'A=1', 'timeout', '5', 'npm', 'test']])).toBe(false)
})
