import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../database.ts'
import { createReviewRows } from '../storedReviewRows.ts'
import type { Entry, Tree } from './entries.ts'
import { createManifests } from './manifests.ts'
import { createStoredTrees, type StoredTree } from './storedTrees.ts'

let folder: string
let db: Awaited<ReturnType<typeof openDatabase>>['db']
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-trees-'))
  db = (await openDatabase(folder)).db
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true, force: true })
})

const file = (name: string, digit: string): Entry => ({
  kind: 'file',
  name,
  hash: digit.repeat(64),
  mode: 0o644,
  size: 1,
  stamp: '1',
})
const folderEntry = (name: string): Entry => ({ kind: 'folder', name, hash: '' })

function largeTree(): Tree {
  const tree: Tree = new Map([
    ['a', folderEntry('a')],
    ['b', folderEntry('b')],
  ])
  for (let index = 0; index < 600; index += 1) tree.set(`a/${index}`, file(String(index), 'a'))
  tree.set('b/x', file('x', 'b'))
  return tree
}

/** Compares without the hashes of folders, which a stored tree has. */
const plain = (tree: Tree) =>
  Object.fromEntries([...tree].map(([path, entry]) => [path, entry.kind === 'folder' ? 'folder' : entry]))
const reference = (stored: StoredTree) =>
  createReviewRows(db, '/w').set('state', 'call/1', JSON.stringify({ before: stored }))

it('a small state is stored by itself, a large one as a tree, and later ones as differences', async () => {
  const trees = createStoredTrees(createManifests(db, '/w'))
  const small: Tree = new Map([['x', file('x', 'a')]])
  expect(await trees.store(small, ['x'])).toEqual({ entries: { x: file('x', 'a') } })
  const first = largeTree()
  const stored = await trees.store(first, undefined)
  expect(stored.entries).toEqual({})
  const second = new Map(first).set('b/x', file('x', 'c')).set('b/y', file('y', 'c'))
  second.delete('a/7')
  const later = await trees.store(second, undefined)
  expect(later).toEqual({
    root: stored.root,
    entries: { 'b/x': file('x', 'c'), 'b/y': file('y', 'c'), 'a/7': null },
  })
  expect(plain(await trees.read(stored))).toEqual(plain(first))
  expect(plain(await trees.read(later))).toEqual(plain(second))
})

it('the state of a large folder is stored as a difference to the whole workspace', async () => {
  const trees = createStoredTrees(createManifests(db, '/w'))
  const whole = largeTree()
  await trees.store(whole, undefined)
  const within: Tree = new Map([...whole].filter(([path]) => path === 'a' || path.startsWith('a/')))
  within.delete('a/3')
  expect((await trees.store(within, ['a'])).entries).toEqual({ 'a/3': null })
})

it('a sweep keeps the state before a running call, and deletes it afterwards', async () => {
  const manifests = createManifests(db, '/w')
  const trees = createStoredTrees(manifests)
  const stored = await trees.store(largeTree(), undefined)
  reference(stored)
  expect(await manifests.referencedContents()).toContain('b'.repeat(64))
  expect(plain(await trees.read(stored))).toEqual(plain(largeTree()))
  createReviewRows(db, '/w').remove('state', 'call/1')
  expect(await manifests.referencedContents()).not.toContain('b'.repeat(64))
  await expect(trees.read(stored)).rejects.toMatchObject({ code: 'not_found' })
  // A tree that was swept is stored again.
  const again = await trees.store(largeTree(), undefined)
  expect(plain(await trees.read(again))).toEqual(plain(largeTree()))
})
