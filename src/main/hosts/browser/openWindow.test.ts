import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { findChromium } from '../../base/findChromium.ts'
import { hasDisplay, pageFolder, writeOpeningPage } from './openWindow.ts'

describe('a window is opened only if a display is available', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', {}, false],
    ['darwin', {}, true],
    ['darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
    ['win32', {}, true],
  ] as const)('%s with %o: %s', (platform, env, expected) => {
    expect(hasDisplay({ platform, env })).toBe(expected)
  })
})

describe('finds a Chromium', () => {
  const machine = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv, ...files: string[]) =>
    findChromium({ platform, env, isExecutable: (file) => files.includes(file) })

  it('on PATH, in the order of PATH', () => {
    expect(machine('linux', { PATH: '/usr/local/bin:/usr/bin' }, '/usr/bin/chromium', '/usr/bin/google-chrome')).toBe(
      '/usr/bin/chromium',
    )
    expect(machine('linux', { PATH: '/opt/x:/usr/bin' }, '/opt/x/google-chrome', '/usr/bin/chromium')).toBe(
      '/opt/x/google-chrome',
    )
  })

  it('in the applications folder of macOS', () => {
    expect(machine('darwin', {}, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome')).toBe(
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    )
  })

  it('returns nothing if there is none', () => {
    expect(machine('linux', { PATH: '/usr/bin' })).toBeNull()
    expect(machine('linux', {})).toBeNull()
    expect(machine('win32', {})).toBeNull()
  })
})

describe('the one-time address', () => {
  const address = 'http://127.0.0.1:1/#token=s3cret'

  it('is in a file that only the user can read, and not in the address of that file', async () => {
    const { root, remove } = await temporaryFolder({ 'data/open.html': 'an old page' })
    const page = await writeOpeningPage(address, join(root, 'data'))
    expect(page).not.toContain('s3cret')
    expect((await stat(fileURLToPath(page))).mode & 0o777).toBe(0o600)
    expect(await readFile(fileURLToPath(page), 'utf8')).toContain(JSON.stringify(address))
    await remove()
  })

  it('is in a folder that a snap can read, also behind a script of the distribution', async () => {
    const { root, remove } = await temporaryFolder()
    const script = join(root, 'chromium-browser')
    await writeFile(
      script,
      '#!/bin/sh\nif ! [ -x /snap/bin/chromium ]; then exit 1; fi\nexec /snap/bin/chromium "$@"\n',
    )
    const own = join(root, 'chromium')
    await writeFile(own, '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n')
    const folder = (browser: string) => pageFolder(browser, '/home/a/.config/tizona', '/home/a')
    expect(await folder('/snap/bin/chromium')).toBe('/home/a/snap/chromium/common/tizona')
    expect(await folder(script)).toBe('/home/a/snap/chromium/common/tizona')
    expect(await folder(own)).toBe('/home/a/.config/tizona')
    expect(await folder(join(root, 'absent'))).toBe('/home/a/.config/tizona')
    await remove()
  })
})
