import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { sweepTemporary } from './sweepTemporary.ts'
import { temporaryPathFor } from './textFile.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const never = new AbortController().signal
/** Temporary name of a process that cannot exist (its id is above the maximum of Linux), on a machine without name. */
const dead = '.tizona-write-99999999-1-0123456789abcdef'

beforeEach(async () => {
  folder = await temporaryFolder({ 'sub/deep/a.txt': 'a' })
})
afterEach(() => folder.remove())
const at = (name: string) => path.join(folder.root, name)

it('deletes temporary files of ended processes and nothing else', async () => {
  const living = path.basename(temporaryPathFor(at('x')))
  const alike = '.tizona-write-mine'
  await mkdir(at(`sub/${dead}`))
  for (const name of [`sub/${dead}/b.txt`, `sub/deep/${dead}`, living, alike]) await writeFile(at(name), 'x')
  expect((await sweepTemporary(folder.root, never, { minAgeMs: -1000 })).toSorted()).toEqual([
    at(`sub/${dead}`),
    at(`sub/deep/${dead}`),
  ])
  expect((await readdir(folder.root)).toSorted()).toEqual([alike, living, 'sub'].toSorted())
  expect(await readdir(at('sub/deep'))).toEqual(['a.txt'])
})

it('deletes files of a process that ended on this machine at once', async () => {
  const name = temporaryPathFor(at('x')).replace(/-\d+-\d+-/, '-99999999-1-')
  await writeFile(name, 'x')
  expect(await sweepTemporary(folder.root, never)).toEqual([name])
})

it('keeps recent files of other machines, follows no links and checks a limited number of entries', async () => {
  const outside = await temporaryFolder({ [dead]: 'x' })
  await symlink(outside.root, at('link'))
  await writeFile(at(dead), 'x')
  expect(await sweepTemporary(folder.root, never)).toEqual([])
  expect(await sweepTemporary(folder.root, never, { minAgeMs: -1000, maxEntries: 0 })).toEqual([])
  expect(await sweepTemporary(folder.root, never, { minAgeMs: -1000 })).toEqual([at(dead)])
  expect(await readdir(outside.root)).toEqual([dead])
  await outside.remove()
})
