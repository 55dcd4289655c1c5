import { lstat, readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import type { Mount } from './bubblewrapArguments.ts'

/**
 * Entries of `/` that a command sees, read-only. Everything else is absent: other homes, other disks, the sockets of
 * system services in /run and /var (Docker, D-Bus, LXD), which would run a command outside the sandbox.
 */
const visible = new Set([
  'bin',
  'etc',
  'gnu',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'nix',
  'opt',
  'sbin',
  'snap',
  'sys',
  'usr',
])

/** Secrets of the system, which root could read. */
const systemSecrets = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/krb5.keytab']

/**
 * Sockets of services that download for whoever connects to them, which is possible on read-only mounts too: the Nix
 * daemon fetches what a derivation names. A command without network must not reach them.
 */
const downloadingServices = ['/nix/var/nix/daemon-socket', '/nix/var/determinate']

/** Folders with programs below folders that are absent otherwise. */
const furtherFolders = ['/var/lib/gems', '/home/linuxbrew/.linuxbrew', '/run/current-system']

/** Returns the mounts of the system's folders. */
export async function systemMounts(network: boolean): Promise<Mount[]> {
  const mounts: Mount[] = [
    { kind: 'temporary', path: '/tmp' },
    { kind: 'temporary', path: '/var/tmp' },
    { kind: 'temporary', path: '/run' },
  ]
  for (const entry of await readdir('/', { withFileTypes: true })) {
    if (!visible.has(entry.name)) continue
    const name = path.join('/', entry.name)
    if (entry.isSymbolicLink()) mounts.push({ kind: 'link', path: name, target: await readlink(name) })
    else if (entry.isDirectory()) mounts.push({ kind: 'readOnly', path: name })
  }
  for (const file of systemSecrets) if (await entryExists(file)) mounts.push({ kind: 'hiddenFile', path: file })
  if (!network)
    for (const folder of downloadingServices)
      if (await entryExists(folder)) mounts.push({ kind: 'emptyFolder', path: folder })
  for (const folder of furtherFolders) if (await entryExists(folder)) mounts.push({ kind: 'readOnly', path: folder })
  return mounts
}

/** Whether a path exists, even as a dangling link. */
export async function entryExists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined
}
