import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findInstallation, userDataFolder } from './installation.ts'

describe('an installation', () => {
  it('is found from sources, from the bundle and from a chunk of it', async () => {
    const root = await mkdtemp(join(tmpdir(), 'tizona-installation-'))
    await writeFile(join(root, 'package.json'), '{"version":"1.2.3"}')
    for (const folder of ['out/main', 'out/main/chunks', 'src/main/hosts']) {
      await mkdir(join(root, folder), { recursive: true })
      expect(findInstallation(join(root, folder))).toEqual({
        version: '1.2.3',
        resources: join(root, 'resources'),
        renderer: join(root, 'out', 'renderer'),
        preload: join(root, 'out', 'preload', 'index.cjs'),
      })
    }
    await rm(root, { recursive: true })
  })

  it('has its resources as plain files beside a packaged archive', async () => {
    const root = await mkdtemp(join(tmpdir(), 'tizona-installation-'))
    await mkdir(join(root, 'app.asar', 'out', 'main'), { recursive: true })
    await writeFile(join(root, 'app.asar', 'package.json'), '{"version":"1.2.3"}')
    expect(findInstallation(join(root, 'app.asar', 'out', 'main')).resources).toBe(
      join(root, 'app.asar.unpacked', 'resources'),
    )
    await rm(root, { recursive: true })
  })
})

it('user data is in the standard folder of each system, unless TIZONA_USER_DATA is set', () => {
  expect(userDataFolder({}, 'linux', '/home/ana')).toBe('/home/ana/.config/Tizona')
  expect(userDataFolder({ XDG_CONFIG_HOME: '/cfg' }, 'linux', '/home/ana')).toBe('/cfg/Tizona')
  expect(userDataFolder({}, 'darwin', '/Users/ana')).toBe('/Users/ana/Library/Application Support/Tizona')
  expect(userDataFolder({ TIZONA_USER_DATA: '/x' }, 'darwin', '/Users/ana')).toBe('/x')
})
