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

it('what branches define in turn stays trusted, at most ten states, until the user refuses', async () => {
  const store = await open()
  const states = Array.from({ length: 12 }, (_, index) => ({
    ...subject({ a: index % 2 }),
    programs: { 'guard.sh': `v${index}` },
  }))
  for (const state of states) await store.decide(state, true)
  const later = await open()
  expect(states.map((state) => later.check(state).state === 'trusted')).toEqual([
    false,
    false,
    ...Array.from({ length: 10 }, () => true),
  ])
  const other = { ...subject({ a: 1 }), programs: { 'guard.sh': 'v2' } }
  expect(later.check(other)).toMatchObject({ state: 'unknown', programsBefore: { 'guard.sh': 'v11' } })
  await later.decide(other, false)
  expect(states.map((state) => later.check(state).state)).not.toContain('trusted')
  expect(later.check(subject({ a: 0 }))).toMatchObject({ state: 'unknown', refusedBefore: true })
})

it('a decision of an earlier version stays valid, and covers no other programs after the next one', async () => {
  const [old, now] = ['v1', 'v2'].map((hash) => ({ ...subject({ a: 1 }), programs: { 'guard.sh': hash } }))
  if (!old || !now) throw new Error('Two states are expected.')
  const { hash } = (await open()).check(old)
  const { workspace, kind, name, definition } = old
  await mkdir(folder.root, { recursive: true })
  const record = { workspace, kind, name, definition, hash, trusted: true }
  await writeFile(join(folder.root, 'trust.json'), JSON.stringify([record]))
  const store = await open()
  expect(store.check(old)).toMatchObject({ state: 'trusted', programsBefore: 'unknown' })
  await store.decide(now, true)
  expect(store.check(now).state).toBe('trusted')
  expect(store.check(old).state).toBe('unknown')
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
