import { execFileSync } from 'node:child_process'
import { truncate, utimes } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createWorkspaceHash } from './hashWorkspaceFile.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'run.sh': 'true\n', huge: '' })
})
afterEach(() => folder.remove())

it('a huge file is not read, and a change of it is noticed nevertheless', async () => {
  const hash = createWorkspaceHash(await openWorkspace(folder.root))
  const huge = path.join(folder.root, 'huge')
  await truncate(huge, 100 * 1024 * 1024 * 1024)
  const before = await hash('huge')
  expect(before?.hash).toMatch(/^changed \d+, inode/)
  expect(await hash('huge')).toEqual(before)
  await utimes(huge, 1, 1)
  expect(await hash('huge')).not.toEqual(before)
  expect((await hash('run.sh'))?.hash).toMatch(/^[0-9a-f]{64}$/)
})

it.runIf(process.platform !== 'win32')('a pipe has no hash', async () => {
  execFileSync('mkfifo', [path.join(folder.root, 'pipe')])
  expect(await createWorkspaceHash(await openWorkspace(folder.root))('pipe')).toBeNull()
})
