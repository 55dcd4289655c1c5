import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFolderTrust, trustableParent, type FolderTrust } from './folderTrust.ts'

let userData: string
let trust: FolderTrust
const notices: string[] = []
const open = () => createFolderTrust(userData, (message) => notices.push(message))

beforeEach(async () => {
  userData = await mkdtemp(join(tmpdir(), 'tizona-trust-'))
  notices.length = 0
  trust = await open()
})
afterEach(() => rm(userData, { recursive: true, force: true }))

it('a folder without a decision is not trusted', () => {
  expect(trust.isTrusted('/work/new')).toBe(false)
  expect(trust.isDecided('/work/new')).toBe(false)
})

it('a decision is stored and only the user can read the file', async () => {
  await trust.decide('/work/app', true)
  const again = await open()
  expect(again.isTrusted('/work/app')).toBe(true)
  if (process.platform !== 'win32')
    expect((await stat(join(userData, 'trusted-folders.json'))).mode & 0o777).toBe(0o600)
})

it('a decision applies to folders below, but not to folders with a similar name or above', async () => {
  await trust.decide('/work/app', true)
  expect(trust.isTrusted('/work/app/packages/a')).toBe(true)
  for (const other of ['/work/app2', '/work', '/work/app/../other', '/']) expect(trust.isTrusted(other)).toBe(false)
})

it('the decision about the nearest folder counts', async () => {
  await trust.decide('/work', true)
  await trust.decide('/work/download', false)
  expect(trust.isTrusted('/work/download/x')).toBe(false)
  expect(trust.isDecided('/work/download/x')).toBe(true)
  expect(trust.isTrusted('/work/other')).toBe(true)
})

it('trusting a parent replaces an earlier "keep restricted" of a folder below, and the reverse', async () => {
  await trust.decide('/work/app', false)
  await trust.decide('/work', true)
  expect(trust.isTrusted('/work/app')).toBe(true)
  await trust.decide('/work/app/a', true)
  await trust.decide('/work', false)
  expect(trust.isTrusted('/work/app/a')).toBe(false)
})

it('an invalid decision is not used and stays in the file, and the others apply', async () => {
  await writeFile(
    join(userData, 'trusted-folders.json'),
    '{"folders": [{"path": "/", "trusted": "yes"}, {"path": "/a", "trusted": true}]}',
  )
  const damaged = await open()
  expect([damaged.isTrusted('/work'), damaged.isTrusted('/a')]).toEqual([false, true])
  expect(notices.join()).toContain('folders.0')
  await damaged.decide('/b', false)
  expect(await readFile(join(userData, 'trusted-folders.json'), 'utf8')).toContain('yes')
})

it('a decision of another process applies after a reload', async () => {
  const other = await open()
  await other.decide('/work/app', true)
  expect(trust.isTrusted('/work/app')).toBe(false)
  await trust.reload()
  expect(trust.isTrusted('/work/app')).toBe(true)
})

it.each([
  ['/home/ana/code/app', '/home/ana/code'],
  ['/home/ana/app', null],
  ['/home/ana', null],
  ['/srv', null],
  ['/tmp/app', null],
  ['/srv/app', '/srv'],
])('offers to trust the parent of %s: %s', (root, parent) => {
  expect(trustableParent(root, ['/home/ana', '/tmp'])).toBe(parent)
})
