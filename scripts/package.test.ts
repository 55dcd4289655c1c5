import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import configuration from '../electron-builder.config.ts'
import { licensesFile, sbomFile } from './lib/releaseFiles.mjs'
import { listArchive, packApplication } from './testing/packedApplication.ts'

const root = resolve(import.meta.dirname, '..')

it('builds an AppImage, a deb, a dmg and an installer', () => {
  expect(configuration.linux?.target).toEqual(['AppImage', 'deb'])
  expect(configuration.mac?.target).toEqual(['dmg'])
  expect(configuration.win?.target).toEqual(['nsis'])
})

it('names the installer for Windows as a release does', () => {
  expect(configuration.nsis?.artifactName).toBe('${productName}-Setup-${version}.${ext}')
})

it("disables the insecure options of Electron's binary", () => {
  expect(configuration.electronFuses).toMatchObject({
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    onlyLoadAppFromAsar: true,
    enableEmbeddedAsarIntegrityValidation: true,
    resetAdHocDarwinSignature: true,
  })
})

// A character beyond ASCII in a tagged template, which the bundler leaves as it is, would double the memory of the source.
it.runIf(existsSync(join(root, 'out/main/headless.js')))('the core is built with one byte per character', async () => {
  const chunks = join(root, 'out/main/chunks')
  const core = (await readdir(chunks)).filter((name) => /^core-.*\.js$/.test(name))
  expect(core).toHaveLength(1)
  for (const file of [...core, 'commands.cjs']) {
    const text = await readFile(join(chunks, file), 'utf8')
    expect(text.match(/.{0,40}[^\0-\x7f].{0,40}/g) ?? []).toEqual([])
  }
})

// The real electron-builder packs the real build around a stand-in for Electron's binary.
describe.runIf(process.platform === 'linux')('the packed application', () => {
  let scratch: string
  let packed: string[]
  let unpacked: string[]
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'tizona-package-'))
    const resources = await packApplication(scratch)
    packed = await listArchive(join(resources, 'app.asar'))
    unpacked = (await readdir(join(resources, 'app.asar.unpacked'), { recursive: true })).map((path) => `/${path}`)
  }, 600_000)
  afterAll(() => rm(scratch, { recursive: true, force: true }))

  it.runIf(existsSync(join(root, 'out/main/index.js')))('holds the build and no sources, maps or tests', () => {
    for (const file of [
      '/package.json',
      '/out/main/index.js',
      '/out/main/headless.js',
      '/out/preload/index.cjs',
      '/out/renderer/index.html',
    ])
      expect(packed).toContain(file)
    expect(
      packed.filter((path) => /^\/(src|e2e|bench|scripts|docs)\//.test(path) || /^\/out\/.*\.map$/.test(path)),
    ).toEqual([])
  })

  it('holds the licenses and the bill of materials of its packages', () => {
    for (const name of [licensesFile, sbomFile]) expect(packed).toContain(`/out/${name}`)
  })

  it('holds no entry for tests, and no second bundle of the commands', () => {
    expect(packed).not.toContain('/out/main/storyHost.js')
    expect(packed.filter((path) => /^\/out\/main\/.*\.cjs$/.test(path))).toEqual([])
  })

  it('holds no sources of llama.cpp, and no builds for CUDA', () => {
    const files = [...packed, ...unpacked]
    expect(files.filter((path) => /gitRelease\.bundle$|\/node-llama-cpp\/llama\/addon\//.test(path))).toEqual([])
    expect(files.filter((path) => /ggml-cuda/.test(path))).toEqual([])
  })

  it('has files that are executed or read from disk beside the archive', () => {
    expect(unpacked.some((path) => path.endsWith('/node-pty/build/Release/pty.node'))).toBe(true)
    expect(unpacked.some((path) => /\/@vscode\/ripgrep[^/]*\/bin\/rg$/.test(path))).toBe(true)
    expect(unpacked.some((path) => /\/@typescript\/typescript-[^/]+\/lib\/tsc$/.test(path))).toBe(true)
    expect(unpacked.some((path) => /\/@typescript\/typescript-[^/]+\/lib\/lib\.es5\.d\.ts$/.test(path))).toBe(true)
    expect(unpacked.some((path) => path.endsWith('.wasm'))).toBe(true)
    expect(unpacked.some((path) => path.startsWith('/resources/tour/'))).toBe(true)
    if (existsSync(join(root, 'node_modules/node-llama-cpp')))
      expect(unpacked.some((path) => /\/@node-llama-cpp\/[^/]+\/bins\/.*\/llama-addon\.node$/.test(path))).toBe(true)
  })
})
