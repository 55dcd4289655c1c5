import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace, type Workspace } from './containment.ts'
import { createDeletedEntries, sweepDeletedEntries } from './deletedEntries.ts'
import { createFileOperations, type FileOperations } from './fileOperations.ts'
import { expectFailure } from './testing/disk.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let workspace: Workspace
let files: FileOperations
const at = (name: string) => path.join(folder.root, 'project', name)
const userData = () => path.join(folder.root, 'data')
const kept = () => readdir(path.join(userData(), 'deleted')).catch(() => [])

beforeEach(async () => {
  folder = await temporaryFolder({
    'project/a.txt': 'a',
    'project/src/deep/x.sh': 'x',
    'project/src/y.ts': 'y',
    'outside/secret.txt': 'secret',
  })
  workspace = await openWorkspace(path.join(folder.root, 'project'))
  files = createFileOperations(workspace)
})
afterEach(() => folder.remove())

const limited = (limits = { entry: 10, total: 10, count: 10 }) =>
  createDeletedEntries({ workspace, userData: userData(), limits })

async function keepAndDelete(deleted: ReturnType<typeof limited>, name: string): Promise<string> {
  const outcome = await deleted.keep(name)
  if ('reason' in outcome) throw new Error(outcome.reason)
  await files.delete(name, { recursive: true })
  return outcome.id
}

it('a deleted folder comes back with its content, links and permissions', async () => {
  const deleted = createDeletedEntries({ workspace, userData: userData() })
  await chmod(at('src/deep/x.sh'), 0o755)
  await symlink('deep/x.sh', at('src/link'))
  const id = await keepAndDelete(deleted, 'src')
  expect(await deleted.restore(id)).toBe('src')
  expect(await readFile(at('src/deep/x.sh'), 'utf8')).toBe('x')
  expect((await stat(at('src/deep/x.sh'))).mode & 0o777).toBe(0o755)
  expect(await readlink(at('src/link'))).toBe('deep/x.sh')
  await expectFailure(deleted.restore(id), 'not_found')
})

it('a file comes back into a folder that is gone by now', async () => {
  const deleted = limited()
  const id = await keepAndDelete(deleted, 'src/y.ts')
  await files.delete('src', { recursive: true })
  await deleted.restore(id)
  expect(await readFile(at('src/y.ts'), 'utf8')).toBe('y')
})

it('what exists again is not overwritten, and can be restored afterwards', async () => {
  const deleted = limited()
  const id = await keepAndDelete(deleted, 'a.txt')
  await writeFile(at('a.txt'), 'new')
  await expectFailure(deleted.restore(id), 'already_exists')
  expect(await readFile(at('a.txt'), 'utf8')).toBe('new')
  await rm(at('a.txt'))
  expect(await deleted.restore(id)).toBe('a.txt')
})

it('a folder that was replaced by a link to the outside receives nothing', async () => {
  const deleted = limited()
  const id = await keepAndDelete(deleted, 'src/y.ts')
  await rm(at('src'), { recursive: true })
  await symlink(path.join(folder.root, 'outside'), at('src'))
  await expectFailure(deleted.restore(id), 'outside_workspace')
  expect(await readdir(path.join(folder.root, 'outside'))).toEqual(['secret.txt'])
})

it('what is too large or outside is not kept, with the reason', async () => {
  await writeFile(at('big'), 'x'.repeat(11))
  const deleted = limited()
  expect(await deleted.keep('big')).toEqual({ reason: 'It is larger than 10 bytes.' })
  expect(await limited({ entry: 10, total: 10, count: 2 }).keep('src')).toEqual({
    reason: expect.stringContaining('more than 2 files'),
  })
  expect(await deleted.keep('../outside/secret.txt')).toEqual({ reason: expect.stringContaining('outside') })
  expect(await deleted.keep('.')).toEqual({ reason: expect.stringContaining('workspace folder') })
  expect(await kept()).toEqual([])
})

it('the oldest copies make room for new ones', async () => {
  await writeFile(at('b.txt'), 'x'.repeat(9))
  await writeFile(at('c.txt'), 'c')
  const deleted = limited()
  const [first, second, third] = [
    await keepAndDelete(deleted, 'a.txt'),
    await keepAndDelete(deleted, 'b.txt'),
    await keepAndDelete(deleted, 'c.txt'),
  ]
  await expectFailure(deleted.restore(first), 'not_found')
  await deleted.restore(second)
  await deleted.restore(third)
})

it('copies are removed when the folder is closed, and those of a killed process at the next start', async () => {
  const deleted = limited()
  await deleted.keep('a.txt')
  expect(await kept()).toHaveLength(1)
  const killed = path.join(userData(), 'deleted', '999999999-1-abcd')
  await mkdir(path.join(killed, '1'), { recursive: true })
  await sweepDeletedEntries(userData())
  expect(await kept()).toHaveLength(1)
  await deleted.close()
  expect(await kept()).toEqual([])
})
