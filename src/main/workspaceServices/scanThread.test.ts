import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScanThread } from './scanThread.ts'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-scan-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('scans in a thread with the shipped rules and those that the user adds', async () => {
  for (const name of ['.env', 'mine.conf', 'Jenkinsfile']) await writeFile(path.join(root, name), '')
  let added = { protected: '', secret: '' }
  const scanner = createScanThread({ root }, () => added)
  expect(await scanner.scan()).toMatchObject({
    secrets: [path.join(root, '.env')],
    protectedPaths: [path.join(root, 'Jenkinsfile')],
  })
  added = { protected: '', secret: 'mine.conf' }
  expect((await scanner.scan()).secrets).toEqual([path.join(root, '.env'), path.join(root, 'mine.conf')])
  await scanner.dispose()
})

it('rejects a scan that is interrupted by the end of the thread', async () => {
  const scanner = createScanThread({ root }, () => ({ protected: '', secret: '' }))
  const scan = scanner.scan()
  await Promise.all([expect(scan).rejects.toThrow('interrupted'), scanner.dispose()])
})
