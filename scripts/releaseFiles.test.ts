import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { licensesFile, sbomFile, sumsFile, writeReleaseFiles, writeSums } from './lib/releaseFiles.mjs'
import { shippedPackages } from './lib/shippedPackages.mjs'

const root = resolve(import.meta.dirname, '..')

interface Bom {
  components: { name: string; version: string; purl: string; licenses: object[]; hashes?: { content: string }[] }[]
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-release-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('the packages in installers', () => {
  let names: Set<string>
  beforeAll(() => {
    names = new Set(shippedPackages(root).map(({ name }) => name))
  })

  it('are those of main, those of the window, and what they need', () => {
    // Packages of main, packages of the window, and packages that those need.
    for (const name of ['node-pty', 'zod', 'monaco-editor', 'react', '@xterm/xterm', 'scheduler', 'pend'])
      expect(names).toContain(name)
  })

  it('include Electron, without the packages that download it', () => {
    expect(names).toContain('electron')
    expect(names).not.toContain('@electron/get')
  })

  it('include no tools of development', () => {
    for (const name of ['vitest', 'electron-builder', '@playwright/test', 'knip', 'oxlint', 'axe-core'])
      expect(names).not.toContain(name)
  })
})

it('licenses and bill of materials name every package that npm counts for main', { timeout: 60_000 }, async () => {
  const folder = await temporary()
  await writeReleaseFiles(root, folder)
  // The file that was just written.
  const bom = JSON.parse(await readFile(join(folder, sbomFile), 'utf8')) as Bom
  const licenses = await readFile(join(folder, licensesFile), 'utf8')
  const npmBom = JSON.parse(
    execFileSync('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx'], {
      cwd: root,
      maxBuffer: 50_000_000,
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString(),
  ) as Bom
  const ours = new Set(bom.components.map(({ purl }) => purl))
  const missing = npmBom.components.map(({ purl }) => purl.replace(/\?.*/, '')).filter((purl) => !ours.has(purl))
  // The package `node` installs its binary without the lock file, and npm counts it.
  expect(missing.filter((purl) => !/^pkg:npm\/node-(?:bin-setup|\w+-\w+)@/.test(purl))).toEqual([])
  for (const { name, version, licenses: named, hashes } of bom.components) {
    expect(licenses).toContain(`${name} ${version}\nLicense: `)
    expect(named).toHaveLength(1)
    for (const { content } of hashes ?? []) expect(content).toMatch(/^([0-9a-f]{40}|[0-9a-f]{128})$/)
  }
  expect(licenses).toMatch(/Permission is hereby granted, free of charge/)
})

it('the same packages give the same bill of materials', { timeout: 30_000 }, async () => {
  const [first, second] = [await temporary(), await temporary()]
  await writeReleaseFiles(root, first)
  await writeReleaseFiles(root, second)
  expect(await readFile(join(first, sbomFile), 'utf8')).toBe(await readFile(join(second, sbomFile), 'utf8'))
})

it('a package without a license stops the release with its name', async () => {
  const folder = await temporary()
  const files = {
    'package.json': { name: 'app', version: '1.0.0' },
    'package-lock.json': { packages: { '': { dependencies: { bare: '1.0.0' } }, 'node_modules/bare': {} } },
    'node_modules/bare/package.json': { name: 'bare', version: '1.0.0' },
  }
  for (const path of ['src/renderer', 'node_modules/bare']) await mkdir(join(folder, path), { recursive: true })
  for (const [path, value] of Object.entries(files)) await writeFile(join(folder, path), JSON.stringify(value))
  await expect(writeReleaseFiles(folder, join(folder, 'out'))).rejects.toThrow('bare@1.0.0')
})

describe('the sums of installers', () => {
  it('are accepted by sha256sum, and refused once an installer changes', async () => {
    const folder = await temporary()
    await writeFile(join(folder, 'Tizona-1.0.0.AppImage'), 'application')
    await writeFile(join(folder, 'tizona.deb'), 'package')
    await writeFile(join(folder, 'builder-debug.yml'), 'not an installer')
    expect(await writeSums(folder)).toEqual(['Tizona-1.0.0.AppImage', 'tizona.deb'])
    expect(await readFile(join(folder, sumsFile), 'utf8')).toMatch(
      /^[0-9a-f]{64} {2}Tizona-1\.0\.0\.AppImage\n[0-9a-f]{64} {2}tizona\.deb\n$/,
    )
    if (process.platform !== 'linux') return
    const check = () => execFileSync('sha256sum', ['--check', '--strict', sumsFile], { cwd: folder, stdio: 'pipe' })
    expect(check().toString()).toContain('tizona.deb: OK')
    await writeFile(join(folder, 'tizona.deb'), 'changed')
    expect(check).toThrow('1 computed checksum did NOT match')
  })

  it('name no file that a release would rename', async () => {
    const folder = await temporary()
    await writeFile(join(folder, 'Tizona Setup 1.0.0.exe'), 'installer')
    await expect(writeSums(folder)).rejects.toThrow('would rename "Tizona Setup 1.0.0.exe"')
  })

  it('of a folder without installers are an error', async () => {
    await expect(writeSums(await temporary())).rejects.toThrow('There are no installers')
  })
})
