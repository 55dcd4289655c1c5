import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { enterSeatbelt } from './seatbeltLauncher.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

it.each(['', 'objects'])('protects the configuration and hooks of a folder .git with %j', async (content) => {
  const dotGit = path.join(folder.root, '.git')
  await mkdir(path.join(dotGit, content), { recursive: true })
  const { invocation } = await enterSeatbelt(
    { workspace: { root: folder.root }, home: '/home/u', userData: '/home/u/data' },
    'sandbox-exec',
    { invocation: { file: 'sh', args: [] }, environment: {}, cwd: folder.root, network: false },
    { git: [dotGit], protectedPaths: [], secrets: [], writable: new Map(), partial: false },
  )
  const [, profile = ''] = invocation.args
  for (const name of ['config', 'hooks', 'commondir'])
    expect(profile).toContain(JSON.stringify(path.join(dotGit, name)))
})
