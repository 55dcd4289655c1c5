import { chmod, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { asUnprivileged, expectFailure } from '../workspace/testing/disk.ts'
import { heavyFolders } from './globs.ts'
import type { TreeFolder, TreeQuery } from './folderTree.ts'
import { call, searchIn } from './testing/searchIn.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

function flat(at: TreeFolder): string[] {
  return at.nodes.flatMap((node) => [
    `${node.path}${node.type === 'directory' ? '/' : node.type === 'symlink' ? '@' : ''}`,
    ...(node.folder ? flat(node.folder) : []),
  ])
}

async function listing(query: Partial<TreeQuery> = {}): Promise<string[]> {
  return flat((await (await searchIn(folder.root)).tree({ depth: 1, skip: heavyFolders, ...query }, call)).root)
}

test('lists folders first, names in natural order, and the content of a folder after it', async () => {
  await writeTree(folder.root, {
    'foo/a.ts': '',
    'foo/sub/b.ts': '',
    'foo-bar/c.ts': '',
    'z.ts': '',
    'B.ts': '',
    'a10.ts': '',
    'a9.ts': '',
  })
  expect(await listing()).toEqual(['foo/', 'foo-bar/', 'a9.ts', 'a10.ts', 'B.ts', 'z.ts'])
  expect(await listing({ depth: 2 })).toEqual([
    'foo/',
    'foo/sub/',
    'foo/a.ts',
    'foo-bar/',
    'foo-bar/c.ts',
    'a9.ts',
    'a10.ts',
    'B.ts',
    'z.ts',
  ])
  expect(await listing({ path: 'foo', depth: 5 })).toEqual(['foo/sub/', 'foo/sub/b.ts', 'foo/a.ts'])
})

test('excludes hidden and ignored entries, and reports excluded dependency and build folders', async () => {
  await writeTree(folder.root, {
    '.gitignore': 'secret/\n*.log\n',
    '.env': '',
    '.git/HEAD': '',
    'secret/a.txt': '',
    'b.log': '',
    'only-logs/c.log': '',
    'node_modules/p/d.js': '',
    'dist/e.js': '',
    'f.ts': '',
    'src/dist/g.js': '',
    'src/h.ts': '',
  })
  expect(await listing({ depth: 3 })).toEqual(['only-logs/', 'src/', 'src/h.ts', 'f.ts'])
  expect((await (await searchIn(folder.root)).tree({ depth: 2, skip: heavyFolders }, call)).skipped).toEqual([
    'dist',
    'node_modules',
    'src/dist',
  ])
  expect(await listing({ path: 'dist' })).toEqual(['dist/e.js'])
})

test('shows a folder with only nested files, and an empty one', async () => {
  await writeTree(folder.root, {
    'src/main/java/com/A.java': '',
    'empty/': '',
    '.gitignore': 'gone\n',
    'gone/deep/x/y/z.txt': '',
  })
  expect(await listing()).toEqual(['empty/', 'src/'])
  expect(await listing({ depth: 3 })).toEqual(['empty/', 'src/', 'src/main/', 'src/main/java/'])
})

test('shows folders that contain only folders at every depth', async () => {
  await writeTree(folder.root, { 'src/modules/new_feature/': '', '.gitignore': '*.log\n' })
  expect(await listing()).toEqual(['src/'])
  expect(await listing({ depth: 3 })).toEqual(['src/', 'src/modules/', 'src/modules/new_feature/'])
})

test('applies .ignore, .git/info/exclude and global rules; a nested repository has its own', async () => {
  const home = await temporaryFolder({ '.gitconfig': '[core]\n\texcludesFile = ~/mine\n', mine: '*.mine\n' })
  vi.stubEnv('HOME', home.root)
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
  await writeTree(folder.root, {
    '.git/HEAD': '',
    '.git/info/exclude': 'excluded\n',
    '.gitignore': '*.log\n',
    '.ignore': 'ignored\n!kept.log\n',
    'a.mine': '',
    excluded: '',
    ignored: '',
    'kept.log': '',
    'b.log': '',
    'c.txt': '',
    'nested/.git/HEAD': '',
    'nested/d.log': '',
    'nested/e.mine': '',
  })
  const names = (await (await searchIn(folder.root)).files({}, call)).paths
  expect(names).toEqual(['c.txt', 'kept.log', 'nested/d.log'])
  expect(await listing({ depth: 2 })).toEqual(['nested/', 'nested/d.log', 'c.txt', 'kept.log'])
  vi.unstubAllEnvs()
  await home.remove()
})

test('shows links without following them', async () => {
  await writeTree(folder.root, { 'a/b.ts': '' })
  await symlink('/etc', path.join(folder.root, 'etc'))
  await symlink('..', path.join(folder.root, 'a', 'loop'))
  expect(await listing({ depth: 9 })).toEqual(['a/', 'a/b.ts', 'a/loop@', 'etc@'])
})

describe('bad input', () => {
  test('a file, a missing folder and an outside folder are rejected', async () => {
    await writeTree(folder.root, { 'a.ts': '' })
    await symlink('/etc', path.join(folder.root, 'etc'))
    const search = await searchIn(folder.root)
    const tree = (at: string) => search.tree({ path: at, depth: 1, skip: heavyFolders }, call)
    await expectFailure(tree('a.ts'), 'not_a_directory')
    await expectFailure(tree('none'), 'not_found')
    await expectFailure(tree(''), 'invalid_path')
    for (const outside of ['..', '/', 'etc']) await expectFailure(tree(outside), 'outside_workspace')
  })

  test('an unreadable folder is marked, and rejected as the start folder', async () => {
    await writeTree(folder.root, { 'a.txt': '', 'private/b.txt': '' })
    await chmod(folder.root, 0o755)
    await chmod(path.join(folder.root, 'private'), 0)
    const answer = await asUnprivileged(`
      const { createSearch } = await import(${JSON.stringify(path.join(import.meta.dirname, 'search.ts'))})
      const search = createSearch(await openWorkspace(${JSON.stringify(folder.root)}))
      const call = { signal: new AbortController().signal }
      const tree = await search.tree({ depth: 2, skip: new Set() }, call)
      return { nodes: tree.root.nodes.map(({ name, folder }) => [name, folder?.unreadable ?? null]), named: await codeOf(search.tree({ path: 'private', depth: 1, skip: new Set() }, call)) }
    `)
    await chmod(path.join(folder.root, 'private'), 0o755)
    expect(answer).toEqual({
      nodes: [
        ['private', 'permission denied'],
        ['a.txt', null],
      ],
      named: 'permission_denied',
    })
  })

  test('a cancelled call rejects', async () => {
    const controller = new AbortController()
    const work = (await searchIn(folder.root)).tree({ depth: 1, skip: heavyFolders }, { signal: controller.signal })
    controller.abort()
    await expect(work).rejects.toMatchObject({ code: 'cancelled' })
  })
})
