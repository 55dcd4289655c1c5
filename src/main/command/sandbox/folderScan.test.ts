import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { shippedPlaceRules } from '../../approval/placeRules.ts'
import { createFolderScan } from './folderScan.ts'
import { findProtectedChanges } from './protectedChanges.ts'

let root: string
const rules = {
  isProtected: (path: string) => shippedPlaceRules.protection(path) !== undefined,
  isSecret: (path: string) => shippedPlaceRules.secret(path) !== undefined,
}
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-scan-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true })
    await writeFile(path.join(root, file), 'x')
  }
}

const relative = (files: Iterable<string>): string[] => [...files].map((file) => path.relative(root, file)).toSorted()

it('finds secrets also in protected folders and in build output, and nothing in installed packages', async () => {
  await put(
    '.env',
    'a/.env.local',
    '.aws/credentials',
    '.github/key.pem',
    'dist/.env',
    'vendor/x/id_rsa',
    'build/a.key',
  )
  await put('node_modules/x/.env', '.venv/cacert.pem', 'target/.env', 'src/main.ts')
  const scan = createFolderScan(root, rules)()
  const secrets = ['.aws/credentials', '.env', '.github/key.pem', 'a/.env.local', 'build/a.key', 'dist/.env']
  expect(relative(scan.secrets)).toEqual([...secrets, 'vendor/x/id_rsa'])
  expect(relative(scan.protectedPaths)).toEqual(['.aws', '.github'])
  expect(scan.partial).toBe(false)
})

it('finds repositories, worktrees and bare repositories, even in build output', async () => {
  await put('.git/HEAD', 'a/.git', 'vendor/lib/.git/HEAD', 'bare/HEAD', 'bare/config', 'bare/objects/x', 'bare/refs/x')
  await put('lookalike/HEAD', 'lookalike/objects/x')
  expect(relative(createFolderScan(root, rules)().git)).toEqual(['.git', 'a/.git', 'bare', 'vendor/lib/.git'])
})

it('lists links with protected names and protected files in build output as writable', async () => {
  await put('hooks.txt', 'dist/.npmrc', 'vendor/x/.github/workflows/a.yml')
  await symlink('hooks.txt', path.join(root, '.envrc'))
  const scan = createFolderScan(root, rules)()
  expect(relative(scan.writable.keys())).toEqual(['.envrc', 'dist/.npmrc', 'vendor/x/.github/workflows/a.yml'])
  expect(scan.protectedPaths).toEqual([])
})

it('finds entries added since the last scan, even if the times of their folder were set back', async () => {
  await put('a/b/one.ts')
  const scan = createFolderScan(root, rules)
  expect(scan().secrets).toEqual([])
  await put('a/b/.env')
  await utimes(path.join(root, 'a/b'), 0, 0)
  expect(relative(scan().secrets)).toEqual(['a/b/.env'])
  await rm(path.join(root, 'a'), { recursive: true })
  expect(scan().secrets).toEqual([])
})

it('stops at the maximum number of folders, and reads build output last', async () => {
  await put('build/a/.env', 'src/.env', 'zz/x.ts')
  const limits = { folders: 3, writable: 10, time: 60_000 }
  const scan = createFolderScan(root, rules, limits)()
  expect(scan.partial).toBe(true)
  expect(relative(scan.secrets)).toEqual(['src/.env'])
})

it('reports created and changed protected places, but neither empty folders nor other files', async () => {
  await put('a.ts', 'dist/.npmrc')
  const scan = createFolderScan(root, rules)
  const before = scan()
  await put('sub/.github/workflows/x.yml', 'sub/.envrc', 'b.ts', 'hidden/HEAD', 'hidden/refs/x', 'hidden/objects/x')
  await mkdir(path.join(root, 'c/.vscode'), { recursive: true })
  await writeFile(path.join(root, 'dist/.npmrc'), 'other')
  expect(await findProtectedChanges({ root }, before, scan(), { since: Date.now(), replaced: [] })).toEqual({
    created: ['hidden', 'sub/.envrc', 'sub/.github/workflows/x.yml'],
    changed: ['dist/.npmrc'],
    more: 0,
  })
  const after = scan()
  expect(await findProtectedChanges({ root }, after, scan(), { since: Date.now(), replaced: [] })).toBeUndefined()
})

it('names a few of many created places and counts the others', async () => {
  const scan = createFolderScan(root, rules)
  const before = scan()
  await put(...Array.from({ length: 9 }, (_, index) => `.github/workflows/${index}.yml`))
  const changes = await findProtectedChanges({ root }, before, scan(), { since: Date.now(), replaced: [] })
  expect(changes?.created).toHaveLength(5)
  expect(changes).toMatchObject({ changed: [], more: 4 })
})
