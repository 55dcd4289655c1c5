import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeUnusedBuilds } from './unusedBuilds.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-builds-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function build(folder: string, days: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  const used = new Date(Date.now() - days * 24 * 3_600_000)
  await utimes(folder, used, used)
}

it('removes builds that were not used for 30 days, and keeps its own', async () => {
  const builds = join(home, '.tizona', 'server')
  await build(join(builds, 'own'), 100)
  await build(join(builds, 'recent'), 29)
  await build(join(builds, 'old'), 31)
  await removeUnusedBuilds(join(builds, 'own'), home)
  expect((await readdir(builds)).toSorted()).toEqual(['own', 'recent'])
})

it('removes nothing beside a clone', async () => {
  await build(join(home, 'code', 'other'), 100)
  await build(join(home, 'code', 'tizona'), 0)
  await removeUnusedBuilds(join(home, 'code', 'tizona'), home)
  expect(await readdir(join(home, 'code'))).toContain('other')
})
