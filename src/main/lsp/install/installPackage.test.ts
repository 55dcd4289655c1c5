import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, symlink } from 'node:fs/promises'
import path from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder, writeTree } from '../../tools/testing/toolContext.ts'
import { serverTable } from '../serverTable.ts'
import { installPackages, type PinnedPackage } from './installPackage.ts'
import { installablePackage } from './serverInstaller.ts'
import known from './serverPackages.json' with { type: 'json' }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const archives = new Map<string, Buffer>()
beforeEach(async () => {
  folder = await temporaryFolder()
  archives.clear()
})
afterEach(() => folder.remove())

const registry = 'https://registry.test'
const signal = new AbortController().signal
const target = () => path.join(folder.root, 'servers', 'demo')

/** Publishes a package with one file and one link. */
async function publish(place: string, version: string, text: string): Promise<PinnedPackage> {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const source = await temporaryFolder({ 'package/index.js': text, 'package/package.json': '{}' })
  await symlink('/etc/passwd', path.join(source.root, 'package/link'))
  const archive = await create({ cwd: source.root, gzip: true }, ['package']).concat()
  await source.remove()
  archives.set(`${registry}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`, archive)
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  return { path: place, version, integrity }
}

const progress: number[] = []
const install = (packages: PinnedPackage[]) =>
  installPackages(
    packages,
    target(),
    {
      registry,
      onProgress: (done) => void progress.push(done),
      download: async (url) => archives.get(url) ?? Promise.reject(new Error(`${url} does not exist.`)),
    },
    signal,
  )

it('unpacks all packages to their places, without links and without running anything', async () => {
  const packages = [
    await publish('node_modules/demo', '1.0.0', 'demo'),
    await publish('node_modules/@scope/part', '2.1.0', 'part'),
    await publish('node_modules/demo/node_modules/part', '3.0.0', 'inner'),
    { path: 'node_modules/other', version: '1.0.0', integrity: 'sha512-x', os: ['another system'] },
  ]
  await install(packages)
  const read = (name: string) => readFile(path.join(target(), name), 'utf8')
  expect(await read('node_modules/demo/index.js')).toBe('demo')
  expect(await read('node_modules/@scope/part/index.js')).toBe('part')
  expect(await read('node_modules/demo/node_modules/part/index.js')).toBe('inner')
  expect(existsSync(path.join(target(), 'node_modules/demo/link'))).toBe(false)
  expect(progress).toEqual([1, 2, 3])
})

it('an archive with another content, or a failed download, leaves the earlier installation as it is', async () => {
  await writeTree(folder.root, { 'servers/demo/old.txt': 'old' })
  const good = await publish('node_modules/demo', '1.0.0', 'demo')
  await expect(install([good, { ...good, path: 'node_modules/b', version: '9.9.9' }])).rejects.toThrow('does not exist')
  await expect(install([{ ...good, integrity: 'sha512-other' }])).rejects.toMatchObject({ code: 'conflict' })
  expect(await readdir(path.join(folder.root, 'servers'))).toEqual(['demo'])
  expect(await readFile(path.join(target(), 'old.txt'), 'utf8')).toBe('old')
})

it('every server from npm can be installed, with a SHA-512 for each package', () => {
  const fromNpm = serverTable.filter(({ programs }) => programs.some(({ kind }) => kind === 'npm'))
  expect(fromNpm.map(({ id }) => id)).toEqual(['basedpyright', 'bash', 'yaml', 'html', 'css', 'json', 'eslint'])
  for (const definition of fromNpm) expect(Object.keys(known)).toContain(installablePackage(definition))
  for (const { integrity } of Object.values(known).flat()) expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
})
