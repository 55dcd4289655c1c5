import { expect, it, vi } from 'vitest'
import type { FileChange } from '../../shared/files/files.ts'
import { createChangeBatch } from './changeBatch.ts'

/** Returns the batches delivered for these changes. */
async function delivered(changes: FileChange[]): Promise<{ changes: FileChange[]; overflow: boolean }[]> {
  const calls: { changes: FileChange[]; overflow: boolean }[] = []
  const batch = createChangeBatch((list, overflow) => calls.push({ changes: list, overflow }))
  for (const change of changes) batch.add(change)
  await vi.waitFor(() => expect(calls.length).toBeGreaterThan(0), { timeout: 10_000 })
  return calls
}
const file = (path: string, change: FileChange['change']): FileChange => ({ path, change, directory: false })

it('delivers many changes in one message with one entry per path', async () => {
  expect(
    await delivered([file('a', 'created'), file('b', 'changed'), file('a', 'changed'), file('b', 'changed')]),
  ).toEqual([{ changes: [file('a', 'created'), file('b', 'changed')], overflow: false }])
})

it('merges the changes of a path into their net effect', async () => {
  const [batch] = await delivered([
    file('replaced', 'deleted'),
    file('replaced', 'created'),
    file('gone', 'changed'),
    file('gone', 'deleted'),
    file('turned', 'deleted'),
    { path: 'turned', change: 'created', directory: true },
  ])
  expect(batch?.changes).toEqual([
    file('replaced', 'changed'),
    file('gone', 'deleted'),
    { path: 'turned', change: 'created', directory: true },
  ])
})

it('reports an overflow instead of thousands of paths', async () => {
  expect(await delivered(Array.from({ length: 5000 }, (_, index) => file(`${index}`, 'created')))).toEqual([
    { changes: [], overflow: true },
  ])
})
