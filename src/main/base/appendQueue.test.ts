import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createAppendQueue } from './appendQueue.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let failures: unknown[]
beforeEach(async () => {
  folder = await temporaryFolder({ file: '' })
  failures = []
})
afterEach(() => folder.remove())

const open = (path: string, onWritten?: () => void) =>
  createAppendQueue({ path, maxBytes: 1000, maxFiles: 2, onWritten, onFailed: (error) => failures.push(error) })

it('text that is pushed while the last write ends is written without another push', async () => {
  const path = join(folder.root, 'logs', 'a.log')
  let again = 100
  const queue = open(path, () => {
    // Some ticks later, at the end of the loop or after it.
    const steps = again % 5
    const push = (left: number): void => {
      if (left > 0) return queueMicrotask(() => push(left - 1))
      if (again-- > 0) queue.push('x')
    }
    push(steps)
  })
  queue.push('x')
  await expect.poll(() => again).toBeLessThan(0)
  await queue.flush()
  expect(await readFile(path, 'utf8')).toBe('x'.repeat(101))
  expect(failures).toEqual([])
})

it('pending text is written at once at the end of the process, and only once', async () => {
  const path = join(folder.root, 'logs', 'a.log')
  const queue = open(path)
  queue.push('one\n')
  queue.writeNow()
  queue.writeNow()
  await queue.flush()
  expect(await readFile(path, 'utf8')).toBe('one\n')
})

it('text that is not urgent is written by a flush', async () => {
  const path = join(folder.root, 'logs', 'a.log')
  const queue = open(path)
  queue.push('one\n', false)
  queue.push('two\n', false)
  await queue.flush()
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\n')
})

it('each failed write is reported, and later text is tried again', async () => {
  const queue = open(join(folder.root, 'file', 'a.log'))
  queue.push('one')
  await queue.flush()
  queue.push('two')
  await queue.flush()
  expect(failures).toHaveLength(2)
})
