import { mkdir, readdir, readFile, readlink, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { createPathLocks } from '../base/pathLocks.ts'
import { fakeEditor, temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { openWorkspace } from './containment.ts'
import { createDocuments, type WindowDocuments } from './documents.ts'
import { createFileOperations, type FileOperations } from './fileOperations.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { systemError } from './testing/disk.ts'

// Each operation runs once for each of its calls to the file system, and that call fails.

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(async () => folder.remove())

const before = { 'a.txt': 'old text\n', 'b.txt': 'b\n', 'src/one.txt': '1\n', 'src/deep/two.txt': '2\n' }

/** A file system whose call number `fails` fails. Calls of open files count too. */
function failingAt(fails: number, code: string): { fileSystem: FileSystem; calls(): number } {
  let calls = 0
  const step = <Args extends unknown[], Result>(run: (...args: Args) => Result) => {
    return (...args: Args): Result | Promise<never> => {
      calls += 1
      return calls === fails ? Promise.reject(systemError(code)) : run(...args)
    }
  }
  function counted<Target extends object>(target: Target, names: readonly string[]): Target {
    return new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        const bound = value.bind(of) as (...args: unknown[]) => unknown
        return typeof name === 'string' && names.includes(name) ? step(bound) : bound
      },
    })
  }
  // `close` never fails, because the descriptor would leak regardless of the code under test.
  const handleCalls = ['writeFile', 'write', 'sync', 'chmod', 'chown', 'stat', 'read', 'readFile', 'truncate']
  const opening: FileSystem = {
    ...diskFileSystem,
    open: async (...args) => counted(await diskFileSystem.open(...args), handleCalls),
  }
  return { fileSystem: counted(opening, Object.keys(diskFileSystem)), calls: () => calls }
}

interface Services {
  documents: WindowDocuments
  files: FileOperations
}

async function services(fileSystem: FileSystem): Promise<Services> {
  const workspace = await openWorkspace(folder.root)
  const locks = createPathLocks()
  return {
    documents: createDocuments(workspace, fakeEditor(), { fileSystem, locks }),
    files: createFileOperations(workspace, fileSystem, locks),
  }
}

const operations: { name: string; run(services: Services): Promise<unknown>; after: Record<string, string> }[] = [
  {
    name: 'an edit',
    run: async ({ documents }) => documents.edit(await documents.read('a.txt'), 'new text\n'),
    after: { 'a.txt': 'new text\n' },
  },
  {
    name: 'a write of a new file in new folders',
    run: ({ documents }) => documents.write('x/y/z.txt', 'z\n'),
    after: { 'x/y/z.txt': 'z\n' },
  },
  {
    name: 'a restored version',
    run: ({ documents }) => documents.restoreVersion('a.txt', Buffer.from('older\n'), 0o600),
    after: { 'a.txt': 'older\n' },
  },
  { name: 'a new empty file', run: ({ files }) => files.createFile('x/e.txt'), after: { 'x/e.txt': '' } },
  { name: 'a deletion', run: ({ files }) => files.delete('b.txt'), after: { 'b.txt': '' } },
  {
    name: 'a move into a new folder',
    run: ({ files }) => files.move('b.txt', 'x/b.txt'),
    after: { 'x/b.txt': 'b\n', 'b.txt': '' },
  },
  {
    name: 'a move over another file',
    run: ({ files }) => files.move('b.txt', 'a.txt', { overwrite: true }),
    after: { 'a.txt': 'b\n', 'b.txt': '' },
  },
  {
    name: 'a copy of a file',
    run: ({ files }) => files.copy('b.txt', 'x/b.txt', {}, never),
    after: { 'x/b.txt': 'b\n' },
  },
  {
    name: 'a copy of a folder',
    run: ({ files }) => files.copy('src', 'to', {}, never),
    after: { 'to/one.txt': '1\n', 'to/deep/two.txt': '2\n' },
  },
]

/** Returns all files with their contents, and empty folders with a slash. */
async function state(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder.root, { recursive: true, withFileTypes: true })) {
    const absolute = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder.root, absolute)
    if (entry.isFile()) found[name] = await readFile(absolute, 'utf8')
    else if (entry.isDirectory() && (await readdir(absolute)).length === 0) found[`${name}/`] = ''
  }
  return found
}

async function reset(): Promise<void> {
  await rm(folder.root, { recursive: true })
  await mkdir(folder.root)
  await writeTree(folder.root, before)
}

/** Returns the descriptors of this process that are below the folder. */
async function openDescriptors(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return links.filter((target) => target.startsWith(folder.root))
}

describe.each(['EIO', 'ENOSPC', 'EMFILE', 'EACCES'])('%s at any step', (code) => {
  it.each(operations)('of $name leaves the old or the new state, and no litter', async ({ run, after }) => {
    let failed = 0
    for (let step = 1; ; step += 1) {
      await reset()
      const { fileSystem, calls } = failingAt(step, code)
      const outcome = await run(await services(fileSystem)).then(
        () => 'done',
        (error: unknown) => error,
      )
      if (calls() < step) break
      if (outcome !== 'done') {
        failed += 1
        if (!(outcome instanceof ToolError)) throw outcome
        expect(outcome.code).not.toBe('internal')
        expect(outcome.next, outcome.message).not.toBe('')
      }
      const now = await state()
      for (const [name, text] of Object.entries(now)) {
        const versions = [(before as Record<string, string>)[name], after[name]]
        expect(versions, `${name} after step ${step}`).toContain(text)
      }
      for (const name of Object.keys(before))
        if (!(name in after)) expect(now, `after step ${step}`).toHaveProperty([name])
      expect(await openDescriptors()).toEqual([])
    }
    // The operation makes calls, and reports their failures.
    expect(failed).toBeGreaterThan(0)
  })
})
