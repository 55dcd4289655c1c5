import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkspace } from '../workspace/containment.ts'
import { createReviewedRepositories } from './reviewedRepositories.ts'

test('a reviewed file of a folder that was removed has no repository, and is not ignored', async () => {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-reviewed-')))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  for (const name of ['api/.git', 'web']) await mkdir(path.join(home, name), { recursive: true })
  await writeFile(path.join(home, 'api/.gitignore'), 'out/\n')
  await writeFile(path.join(home, 'both.code-workspace'), '{"folders": [{"path": "api"}, {"path": "web"}]}')
  const workspace = await openWorkspace(path.join(home, 'both.code-workspace'), { links: path.join(home, 'links') })
  const { commits, ignored } = createReviewedRepositories(workspace, () => true)

  expect(await commits.repositoryOf('gone/src/a.ts')).toBeUndefined()
  expect(await commits.repositoryOf('gone')).toBeUndefined()
  expect(await ignored(['gone/src/a.ts', 'gone', 'api/out/a.js'])).toEqual(new Set(['api/out/a.js']))
})
