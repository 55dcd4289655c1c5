import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { pending, reviewedFolder, type ReviewedFolder } from '../review/testing/reviewedFolder.ts'

const run = promisify(execFile)
/** Ways to make a file system that folds case, each with the command that makes its image. */
const images = [
  { type: 'xfs', megabytes: 320, make: ['mkfs.xfs', '-q', '-n', 'version=ci'] },
  { type: 'ext4', megabytes: 64, make: ['mkfs.ext4', '-q', '-O', 'casefold', '-E', 'encoding=utf8'] },
  { type: 'vfat', megabytes: 64, make: ['mkfs.vfat'] },
] as const

let base = ''
let mounted = ''
/** Where the tests run; undefined if there is none. */
let place: string | undefined
let why = ''
const temporary = process.env['TMPDIR']

/** Finds or makes a folder that folds case. `TIZONA_TEST_FOLDED` names one, and macOS has one. */
async function findPlace(): Promise<string | undefined> {
  for (const folder of [process.env['TIZONA_TEST_FOLDED'], tmpdir()])
    if (folder !== undefined && (await folds(folder))) return folder
  for (const { type, megabytes, make } of images) {
    const image = join(base, `${type}.image`)
    const mount = join(base, type)
    try {
      await mkdir(mount)
      await writeFile(image, '')
      await truncate(image, megabytes * 1024 * 1024)
      await run(make[0], [...make.slice(1), image])
      await run('mount', ['-o', 'loop', image, mount])
      mounted = mount
      const folder = join(mount, 'folded')
      await mkdir(folder)
      if (type === 'ext4') await run('chattr', ['+F', folder])
      if (await folds(folder)) return folder
      await unmount()
    } catch (error) {
      why += ` ${type}: ${String(error instanceof Error ? error.message : error).split('\n')[1] ?? 'cannot be made'}.`
      await unmount()
    }
  }
  return undefined
}

async function folds(folder: string): Promise<boolean> {
  const own = await mkdtemp(join(folder, 'case-'))
  await writeFile(join(own, 'a'), '')
  const isFolded = await access(join(own, 'A')).then(
    () => true,
    () => false,
  )
  await rm(own, { recursive: true })
  return isFolded
}

async function unmount(): Promise<void> {
  if (mounted !== '') await run('umount', [mounted])
  mounted = ''
}

let folder: ReviewedFolder
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'tizona-folding-'))
  place = await findPlace()
})
afterAll(async () => {
  await unmount()
  await rm(base, { recursive: true, force: true })
})
beforeEach(async ({ skip, onTestFinished }) => {
  if (place === undefined) return skip(`No file system that folds case can be made here.${why}`)
  process.env['TMPDIR'] = place
  onTestFinished(async () => {
    await folder.remove()
    if (temporary === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = temporary
  })
  folder = await reviewedFolder({ 'readme.md': 'one\n', 'src/main.ts': 'two\n' })
})

const names = async () => (await readdir(folder.root)).filter((name) => !name.startsWith('.')).toSorted()

it('a rename that changes only case renames the file, and the review lists it', async () => {
  const moved = await folder.call('move_file', { source: 'readme.md', destination: 'README.md' }, 'turn')
  expect(moved).toMatchObject({ ok: true })
  expect(await names()).toEqual(['README.md', 'src'])
  expect(await folder.listed()).toEqual(['README.md renamed +0 -0'])
  await folder.request('review.undo', { scope: pending, targets: 'all' })
  expect(await names()).toEqual(['readme.md', 'src'])
  expect(await folder.listed()).toEqual([])
})

it('a command renames a file by case only, which the review lists as renamed', async () => {
  await folder.command(`node -e "fs.renameSync('readme.md', 'Readme.md')"`)
  expect(await names()).toEqual(['Readme.md', 'src'])
  expect(await folder.listed()).toEqual(['Readme.md renamed +0 -0'])
})

it('the explorer renames files and folders by case only', async () => {
  await folder.request('files.move', { from: 'readme.md', to: 'README.md' })
  await folder.request('files.move', { from: 'src', to: 'SRC' })
  expect(await names()).toEqual(['README.md', 'SRC'])
  expect(await folder.read('SRC/main.ts')).toBe('two\n')
})

it('a look-alike of a file is not created, and what is written to its name is in the file that exists', async () => {
  await expect(folder.request('files.create', { path: 'README.md' })).rejects.toMatchObject({ code: 'already_exists' })
  await folder.call('write_file', { path: 'README.MD', content: 'three\n' }, 'turn')
  expect(await names()).toHaveLength(2)
  expect(await folder.read('readme.md')).toBe('three\n')
  await folder.request('review.undo', { scope: pending, targets: 'all' })
  expect(await folder.read('readme.md')).toBe('one\n')
})
