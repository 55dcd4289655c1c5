import { mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newest } from './build.mjs'
import { checkNode, hasPackages, headerFolder, installHint, missingCompiler } from './dependencies.mjs'
import { canConnect, desktopObstacle, findElectron } from './electron.mjs'
import { withAbsoluteFolder } from './paths.mjs'
import { capture, lastLines, StepError } from './steps.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tizona-setup-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('accepts Node 20.19 and later', () => {
  for (const version of ['20.19.0', '20.20.1', '22.0.0', '24.21.0']) expect(() => checkNode(version)).not.toThrow()
  for (const version of ['20.18.9', '18.20.0', '4.9.1']) expect(() => checkNode(version)).toThrow(StepError)
})

it('a relative folder on the command line is resolved against the current directory', () => {
  expect(withAbsoluteFolder(['.', '--no-open'], folder)).toEqual([folder, '--no-open'])
  expect(withAbsoluteFolder(['--port', '8080', 'sub/project'], folder)).toEqual([
    '--port',
    '8080',
    join(folder, 'sub', 'project'),
  ])
  expect(withAbsoluteFolder(['--port=1', folder], '/elsewhere')).toEqual(['--port=1', folder])
  const origin = ['--public-origin', 'https://tizona.example']
  expect(withAbsoluteFolder(['.', ...origin], folder)).toEqual([folder, ...origin])
  expect(withAbsoluteFolder([], folder)).toEqual([])
})

it('packages count as installed once npm has written its lockfile copy, which it writes last', () => {
  expect(hasPackages(folder)).toBe(false)
  mkdirSync(join(folder, 'zod'))
  expect(hasPackages(folder)).toBe(false)
  writeFileSync(join(folder, '.package-lock.json'), '{}')
  expect(hasPackages(folder)).toBe(true)
})

describe('a failed install has a hint', () => {
  it.each([
    ['npm error code ENOTFOUND', /network/],
    ['npm error code ENOSPC', /disk is full/],
    ['npm error code EACCES', /not writable/],
    ['npm error code EUSAGE', /package-lock/],
    ['npm error code E404', /registry/],
    ['something else', /npm ci/],
  ])('%s', (output, hint) => expect(installHint(output)).toMatch(hint))

  it('names the missing compiler tools on Linux', () => {
    expect(missingCompiler({ PATH: folder }, 'linux')).toEqual(['make', 'g++', 'python3'])
    for (const name of ['make', 'clang++', 'python3']) writeFileSync(join(folder, name), '')
    expect(missingCompiler({ PATH: folder }, 'linux')).toEqual([])
    expect(missingCompiler({ PATH: '' }, 'darwin')).toEqual([])
  })

  it('the last lines of an output exclude empty ones', () => expect(lastLines('a\n\nb\n\n\nc\n', 2)).toBe('b\nc'))
})

it('node-pty is compiled against the first installed headers', () => {
  expect(headerFolder([folder])).toBeNull()
  mkdirSync(join(folder, 'include', 'node'), { recursive: true })
  writeFileSync(join(folder, 'include', 'node', 'node_api.h'), '')
  expect(headerFolder([join(folder, 'absent'), folder])).toBe(folder)
})

describe('a build is older than its sources', () => {
  const old = new Date(2020, 0, 1)
  const write = (name) => {
    writeFileSync(join(folder, 'src', name), '')
    utimesSync(join(folder, 'src', name), old, old)
    utimesSync(join(folder, 'src'), old, old)
  }
  beforeEach(() => {
    mkdirSync(join(folder, 'src'))
    write('a.ts')
    write('a.test.ts')
  })

  it('when a source was changed', () => {
    expect(newest(folder, ['src'])).toBe(old.getTime())
    const now = new Date(2021, 0, 1)
    utimesSync(join(folder, 'src', 'a.ts'), now, now)
    expect(newest(folder, ['src'])).toBe(now.getTime())
  })
  it('when a source was deleted', () => {
    unlinkSync(join(folder, 'src', 'a.ts'))
    expect(newest(folder, ['src'])).toBeGreaterThan(old.getTime())
  })
  it('but not when only a test was changed, or a path does not exist', () => {
    const now = new Date(2021, 0, 1)
    utimesSync(join(folder, 'src', 'a.test.ts'), now, now)
    expect(newest(folder, ['src', 'absent.ts'])).toBe(old.getTime())
  })
})

describe("Electron's runtime", () => {
  it('is the one in ELECTRON_OVERRIDE_DIST_PATH if it is set', () => {
    expect(findElectron({ ELECTRON_OVERRIDE_DIST_PATH: folder })).toBeNull()
    const name =
      { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron'
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), '')
    expect(findElectron({ ELECTRON_OVERRIDE_DIST_PATH: folder })).toBe(join(folder, name))
  })

  it('requires a display and a user other than root', () => {
    expect(desktopObstacle({}, 'linux', 1000)).toMatch(/display/)
    expect(desktopObstacle({ DISPLAY: ':0' }, 'linux', 1000)).toBeNull()
    expect(desktopObstacle({ DISPLAY: ':0' }, 'linux', 0)).toMatch(/root/)
    expect(desktopObstacle({}, 'darwin', 501)).toBeNull()
  })

  it('is downloaded only if the server is reachable', async () => {
    const server = createServer()
    await new Promise((done) => {
      server.listen(0, '127.0.0.1', done)
    })
    const { port } = server.address()
    expect(await canConnect('127.0.0.1', port)).toBe(true)
    await new Promise((done) => {
      server.close(done)
    })
    expect(await canConnect('127.0.0.1', port)).toBe(false)
    expect(await canConnect('no-such-host.invalid', 443)).toBe(false)
  })
})

describe('running a program', () => {
  it('returns its exit code and the output of both streams', async () => {
    expect(
      await capture(process.execPath, ['-e', 'console.log("out"); console.error("err"); process.exit(3)']),
    ).toEqual({ code: 3, output: expect.stringMatching(/out[^]*err|err[^]*out/) })
  })
  it('returns a failure with the reason if it cannot be started', async () => {
    expect(await capture(join(folder, 'absent'), [])).toEqual({ code: -1, output: expect.stringContaining('ENOENT') })
  })
})
