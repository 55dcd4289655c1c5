import { describe, expect, it } from 'vitest'
import { findChromium, hasDisplay } from './openWindow.ts'

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
