import { expect, it } from 'vitest'
import type { Entry } from '../history/checkpoints/entries.ts'
import { findSimilarRenames } from './similarFiles.ts'

const entry = (text: string): Entry => ({
  kind: 'file',
  name: '',
  hash: text,
  mode: 0o644,
  size: text.length,
  stamp: '',
})
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('')

async function renames(deleted: Record<string, string>, created: Record<string, string>) {
  const changes = [
    ...Object.entries(deleted).map(([path, text]) => ({ path, before: entry(text) })),
    ...Object.entries(created).map(([path, text]) => ({ path, after: entry(text) })),
  ]
  const texts = { before: deleted, after: created }
  return Object.fromEntries(await findSimilarRenames(changes, async ({ path }, which) => texts[which][path] ?? null))
}

it('pairs files that have at least half of their text in common', async () => {
  expect(await renames({ a: lines(10, 20) }, { b: lines(15, 25) })).toEqual({ b: 'a' })
  expect(await renames({ a: lines(10, 20) }, { b: lines(16, 26) })).toEqual({})
  expect(await renames({ a: lines(10, 20) }, { b: lines(10, 40) })).toEqual({})
})

it('pairs each file once, the most similar first, and prefers the same name', async () => {
  expect(await renames({ a: lines(10, 20), 'x/c': lines(10, 20) }, { b: lines(11, 20), 'y/c': lines(11, 20) })).toEqual(
    { b: 'a', 'y/c': 'x/c' },
  )
})
