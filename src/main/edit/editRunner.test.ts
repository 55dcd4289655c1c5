import { afterEach, expect, test, vi } from 'vitest'
import { fileDiff } from './fileDiff.ts'
import { parseEnvelope } from './envelope.ts'
import { diffOf, planEdits, planExact, planHunks, planUnified } from './editRunner.ts'
import { parseUnified } from './unifiedParser.ts'

const names = { oldText: 'old_text', newText: 'new_text' }
const signal = new AbortController().signal
const large = `${'a line of text\n'.repeat(200_000)}here\n${'another line\n'.repeat(50_000)}`
afterEach(() => vi.restoreAllMocks())

/** If the worker fails, the work is done in this thread with a log entry, and these tests would not test the worker. */
function expectNoTrouble() {
  return vi.spyOn(console, 'error').mockImplementation((...message) => {
    throw new Error(message.join(' '))
  })
}

test('edits a large text in a worker with the same result, without blocking the thread', async () => {
  expectNoTrouble()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  const { patched, change } = await planEdits('a', large, [{ oldText: 'here', newText: 'there' }], names, signal)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
  expect(patched.text === large.replace('here', 'there')).toBe(true)
  expect(patched.placements).toMatchObject([{ startLine: 200_001, stage: 'exact' }])
  expect(change).toEqual(fileDiff('a', large, patched.text))
})

test('a failure keeps its code, message and hint', async () => {
  expectNoTrouble()
  const small = planEdits('a', 'here\n', [{ oldText: 'zzzz', newText: 'x' }], names, signal)
  await expect(small).rejects.toMatchObject({ name: 'ToolError', code: 'no_match' })
  await expect(planEdits('a', large, [{ oldText: 'zzzz', newText: 'x' }], names, signal)).rejects.toMatchObject({
    name: 'ToolError',
    code: 'no_match',
    message: expect.stringContaining('was not found'),
    next: expect.stringContaining('search for the text'),
  })
})

test('compares large texts, and can be cancelled', async () => {
  expectNoTrouble()
  expect(await diffOf('a', null, large, signal)).toEqual(fileDiff('a', null, large))
  const stop = new AbortController()
  const under = diffOf('a', null, large, stop.signal)
  stop.abort()
  await expect(under).rejects.toMatchObject({ name: 'AbortError' })
})

test('applies hunks to large texts in a worker with the same result as in this thread', async () => {
  expectNoTrouble()
  const unified = parseUnified('@@ -200000,3 +200000,3 @@\n a line of text\n-here\n+there\n another line\n').hunks
  const [section] = parseEnvelope('*** Begin Patch\n*** Update File: a\n a line of text\n-here\n+there\n*** End Patch')
  if (section?.kind !== 'update') throw new Error('The patch updates.')
  for (const text of [large, 'a line of text\nhere\nanother line\n']) {
    const after = text.replace('here', 'there')
    expect((await planExact('a', text, { old: 'here', now: 'there', all: false }, signal)).text === after).toBe(true)
    expect((await planHunks('a', text, section.hunks, signal)).text === after).toBe(true)
    expect((await planUnified('a', text, unified, signal)).text === after).toBe(true)
    await expect(planHunks('a', text.replace('here', 'gone'), section.hunks, signal)).rejects.toMatchObject({
      name: 'ToolError',
      code: 'no_match',
    })
  }
  const stop = new AbortController()
  const under = planUnified('a', large, unified, stop.signal)
  stop.abort()
  await expect(under).rejects.toMatchObject({ name: 'AbortError' })
})
