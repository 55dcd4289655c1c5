import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { canonicalJson, createTrustStore, type TrustSubject } from './trustStore.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const notices: string[] = []
beforeEach(async () => {
  folder = await temporaryFolder()
  notices.length = 0
})
afterEach(() => folder.remove())

const open = () => createTrustStore(folder.root, (message) => notices.push(message))
const subject = (definition: unknown, workspace = '/w'): TrustSubject => ({
  workspace,
  kind: 'mcp',
  name: 'fs',
  definition,
})

it('has no decision at first, and stores each decision', async () => {
  const store = await open()
  expect(store.check(subject({ a: 1 })).state).toBe('unknown')
  await store.decide(subject({ a: 1 }), true)
  const later = await open()
  expect(later.check(subject({ a: 1 })).state).toBe('trusted')
  expect(later.check(subject({ a: 1 }, '/other'))).not.toHaveProperty('before')
})

it('requires a new decision after any change, and returns the earlier definition', async () => {
  const store = await open()
  await store.decide(subject({ args: ['a b'] }), true)
  expect(store.check(subject({ args: ['a', 'b'] }))).toMatchObject({ state: 'unknown', before: { args: ['a b'] } })
  await store.decide(subject({ args: ['a', 'b'] }), false)
  expect(store.check(subject({ args: ['a', 'b'] })).state).toBe('refused')
  // The definition equals one that was trusted earlier, but the last decision was a refusal.
  expect(store.check(subject({ args: ['a b'] })).state).toBe('unknown')
})

it('ignores the order of keys, but not that of list items', () => {
  expect(canonicalJson({ b: { d: 1, c: [2, 1] }, a: null })).toBe(canonicalJson({ a: null, b: { c: [2, 1], d: 1 } }))
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
})

it('trusts nothing if its file is invalid, and renames the file', async () => {
  await mkdir(folder.root, { recursive: true })
  await writeFile(join(folder.root, 'trust.json'), '[{"workspace": "/w", "trusted": "yes"}]')
  const store = await open()
  expect(store.check(subject({ a: 1 })).state).toBe('unknown')
  expect(notices).toHaveLength(1)
})

it('is readable only by the user', async () => {
  await (await open()).decide(subject({ a: 1 }), true)
  expect((await stat(join(folder.root, 'trust.json'))).mode & 0o777).toBe(0o600)
})
