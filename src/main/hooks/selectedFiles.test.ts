import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { selectedFiles } from './selectedFiles.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

async function write(...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(folder.root, file)), { recursive: true })
    await writeFile(join(folder.root, file), '')
  }
}

it.each([
  [['hooks/check*.sh'], ['hooks/check-a.sh', 'hooks/check-b.sh']],
  [['./h*/check-?.sh'], ['hooks/check-a.sh', 'hooks/check-b.sh']],
  [
    ['**/check-a.sh', 'hooks/[n]ot*'],
    ['hooks/check-a.sh', 'hooks/notes.txt'],
  ],
  [['x/*/y', '../*', '/etc/*', '[', 'hooks/notes.txt'], []],
])('%j select %j', async (words, files) => {
  await write('hooks/check-a.sh', 'hooks/check-b.sh', 'hooks/notes.txt', 'hooks/deep/y')
  expect((await selectedFiles(words, folder.root)).toSorted()).toEqual(files)
})

it('hostile patterns end soon', { timeout: 5000 }, async () => {
  await write('a'.repeat(60))
  const words = ['x{1..100000}*', `${'*a'.repeat(40)}*b`, `${'*/'.repeat(100)}*`, `${'*a'.repeat(100_000)}b`]
  expect(await selectedFiles(words, folder.root)).toEqual([])
})

it('reads at most 2,000 entries for all patterns', async () => {
  await write(...Array.from({ length: 1500 }, (_, index) => `files/${index}`))
  expect(await selectedFiles(['files/*', './files/*'], folder.root)).toHaveLength(1500)
  expect((await selectedFiles(['*/*', 'files/?', 'files/??'], folder.root)).length).toBeLessThan(2000)
})
