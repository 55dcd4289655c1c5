import { createFileEncodings } from './fileEncodings.ts'
import { readdir, symlink, unlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFileHandlers } from '../handlers/fileHandlers.ts'
import { deleteFile } from '../tools/blade/deleteFile.ts'
import { fakeEditor, runTool, temporaryFolder, testContext } from '../tools/testing/toolContext.ts'
import { createBuffers } from './buffers.ts'
import { createDeletedEntries } from './deletedEntries.ts'
import { createDocuments } from './documents.ts'
import { createFileOperations } from './fileOperations.ts'
import { expectFailure, fileSystemWith, systemError } from './testing/disk.ts'
import { createOutsideFiles } from './outsideFiles.ts'
import { createUploads } from './uploads.ts'
import { openWorkspace } from './containment.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'gone/a.txt': 'a',
    'gone/b/c.txt': 'c',
    'gone/b/d/e.txt': 'e',
    'gone/z/f.txt': 'f',
    'kept.txt': 'k',
  })
})
afterEach(() => folder.remove())

/** Creates file operations for which one file cannot be deleted. */
async function failingFiles() {
  const workspace = await openWorkspace(folder.root)
  const files = createFileOperations(
    workspace,
    fileSystemWith({
      unlink: async (file) => {
        if (String(file).endsWith('e.txt')) throw systemError('EBUSY')
        await unlink(file)
      },
    }),
  )
  return { workspace, files }
}

const waysToDelete: [name: string, remove: () => Promise<unknown>][] = [
  ['through the file operations', async () => (await failingFiles()).files.delete('gone', { recursive: true })],
  [
    'through the tool',
    async () => {
      const { files } = await failingFiles()
      return runTool(deleteFile, { path: 'gone', recursive: true }, await testContext(folder.root, { files }))
    },
  ],
  [
    'through the explorer',
    async () => {
      const { workspace, files } = await failingFiles()
      const buffers = createBuffers()
      const handlers = createFileHandlers(() => ({
        workspace,
        documents: createDocuments(workspace, fakeEditor(), { buffers }),
        outside: createOutsideFiles([], () => 'utf8'),
        encodings: createFileEncodings({ ofSettings: () => 'utf8', ofFolder: async () => undefined }),
        files,
        uploads: createUploads(workspace, files),
        fileRules: async () => ({
          isShown: () => true,
          isFound: () => true,
          excluded: [],
          languageOf: () => undefined,
        }),
        buffers,
        deleted: createDeletedEntries({ workspace, userData: path.join(folder.root, '..', 'data') }),
      }))
      await handlers['files.delete']({ path: 'gone', keep: false }, new AbortController().signal)
    },
  ],
]
it.each(waysToDelete)(
  'a recursive delete %s that fails midway reports what was deleted and what remains',
  async (_name, remove) => {
    const { message } = await expectFailure(remove(), 'io_error')
    expect(message).toContain('"gone/b/d/e.txt" could not be deleted.')
    expect(message).toMatch(/partially deleted. Deleted: 2 files \("gone\/a\.txt", "gone\/b\/c\.txt"\)/)
    expect(message).toMatch(/Remaining: 2 files and 4 folders \(.*"gone\/b\/d\/e\.txt"/)
    expect((await readdir(path.join(folder.root, 'gone'))).toSorted()).toEqual(['b', 'z'])
  },
)

it('a recursive delete deletes links and keeps their targets', async () => {
  await symlink('../kept.txt', path.join(folder.root, 'gone/link'))
  await symlink('..', path.join(folder.root, 'gone/up'))
  await createFileOperations(await openWorkspace(folder.root)).delete('gone', { recursive: true })
  expect(await readdir(folder.root)).toEqual(['kept.txt'])
})
