import { expect, it } from 'vitest'
import { seatbeltProfile, type SeatbeltAccess } from './seatbeltProfile.ts'

const access: SeatbeltAccess = {
  folders: ['/Users/ada/my "work"'],
  home: '/Users/ada',
  temporary: '/private/tmp',
  readable: ['/Users/ada/.cargo/bin'],
  writable: ['/Users/ada/.cache'],
  protectedPaths: ['/Users/ada/my "work"/.git/hooks'],
  hidden: ['/Users/ada/my "work"/.env'],
  programs: [],
  own: [],
  readOnly: false,
  network: false,
}

it('allows writing in the workspace, hides the home and quotes paths', () => {
  expect(seatbeltProfile(access)).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    (deny file-write*)
    (allow file-write* (subpath "/Users/ada/my \\"work\\"") (subpath "/private/tmp") (subpath "/Users/ada/.cache") (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/(tty|ttys[0-9]+|fd/.*)$"))
    (deny file-read* (subpath "/Users/ada"))
    (allow file-read-metadata (subpath "/Users/ada"))
    (allow file-read* (subpath "/Users/ada/my \\"work\\"") (subpath "/Users/ada/.cargo/bin") (subpath "/Users/ada/.cache"))
    (deny file-write* (subpath "/Users/ada/my \\"work\\"/.git/hooks"))
    (deny file-read* file-write* (subpath "/Users/ada/my \\"work\\"/.env"))
    (deny process-info* (target others))
    (deny signal (target others))
    (deny mach-lookup (global-name "com.apple.securityd.xpc") (global-name "com.apple.SecurityServer") (global-name "com.apple.pasteboard.1"))
    (deny appleevent-send)
    (deny network*)
    "
  `)
})

it('a program that only reads gets a read-only workspace, and its own folder even where that is hidden', () => {
  const hidden = ['/Users/ada/data']
  const profile = seatbeltProfile({ ...access, readOnly: true, hidden, programs: ['/Users/ada/data/servers/yaml'] })
  expect(profile).toContain('(allow file-write* (subpath "/private/tmp")')
  expect(profile.indexOf('(allow file-read* (subpath "/Users/ada/data/servers/yaml"))')).toBeGreaterThan(
    profile.indexOf('(deny file-read* file-write* (subpath "/Users/ada/data"))'),
  )
})

it('a program may change its own folders, also where they are hidden', () => {
  const hidden = ['/Users/ada/data']
  const profile = seatbeltProfile({ ...access, hidden, own: ['/Users/ada/data/plugin-data/forge'] })
  expect(
    profile.indexOf('(allow file-read* file-write* (subpath "/Users/ada/data/plugin-data/forge"))'),
  ).toBeGreaterThan(profile.indexOf('(deny file-read* file-write* (subpath "/Users/ada/data"))'))
})

it('denies the network only if it is not allowed', () => {
  expect(seatbeltProfile(access)).toContain('(deny network*)')
  expect(seatbeltProfile({ ...access, network: true })).not.toContain('network')
})
