import { expect, it } from 'vitest'
import { bubblewrapArguments } from './bubblewrapArguments.ts'
import type { Mount } from './bubblewrapArguments.ts'

const mounts: Mount[] = [
  { kind: 'readOnly', path: '/home/ada/work/.vscode' },
  { kind: 'writable', path: '/home/ada/work' },
  { kind: 'temporary', path: '/home/ada' },
  { kind: 'readOnly', path: '/usr' },
  { kind: 'link', path: '/bin', target: 'usr/bin' },
  { kind: 'writable', path: '/home/ada/.npm', source: '/data/caches/.npm' },
  { kind: 'hiddenFile', path: '/home/ada/work/server.key' },
  { kind: 'emptyFolder', path: '/home/ada/work/.husky' },
]

it('are sorted so that folders come before their content', () => {
  expect(
    bubblewrapArguments({ mounts, network: false, cwd: '/home/ada/work', seccompDescriptor: 9 }).join(' '),
  ).toMatchInlineSnapshot(
    `"--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --die-with-parent --cap-drop ALL --seccomp 9 --proc /proc --dev /dev --ro-bind /usr /usr --symlink usr/bin /bin --tmpfs /home/ada --bind /home/ada/work /home/ada/work --bind /data/caches/.npm /home/ada/.npm --ro-bind /home/ada/work/.vscode /home/ada/work/.vscode --ro-bind /dev/null /home/ada/work/server.key --tmpfs /home/ada/work/.husky --remount-ro /home/ada/work/.husky --chdir /home/ada/work"`,
  )
})

it('keep the network if it is allowed, and start a new session if there is no filter', () => {
  const args = bubblewrapArguments({ mounts: [], network: true, cwd: '/' })
  expect(args).not.toContain('--unshare-net')
  expect(args).toContain('--new-session')
  expect(args).not.toContain('--seccomp')
})

it('mount a workspace that is the root folder before the others', () => {
  const args = bubblewrapArguments({ mounts: [...mounts, { kind: 'writable', path: '/' }], network: false, cwd: '/' })
  expect(args.indexOf('/')).toBeLessThan(args.indexOf('/usr'))
  expect(args.indexOf('/')).toBeLessThan(args.indexOf('--proc'))
})
