import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Mount } from './bubblewrapArguments.ts'

/**
 * Entries of `/` that a command sees, read-only. Everything else is absent: other home folders, other disks, sockets of
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

/** System secrets that root could read. */
const systemSecrets = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/krb5.keytab']

/**
 * Sockets of services that download on behalf of any client, even through read-only mounts: the Nix daemon fetches
 * whatever a derivation names. A command without network must not reach them.
 */
const downloadingServices = ['/nix/var/nix/daemon-socket', '/nix/var/determinate']

/** Program folders inside folders that are otherwise absent. */
const furtherFolders = ['/var/lib/gems', '/home/linuxbrew/.linuxbrew', '/run/current-system']

/** Returns the mounts of system folders. */
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
  kernelSettings ??= writableEntriesOfProc()
  for (const file of await kernelSettings) mounts.push({ kind: 'readOnly', path: file })
  for (const file of systemSecrets) if (await entryExists(file)) mounts.push({ kind: 'hiddenFile', path: file })
  if (process.getuid?.() === 0) mounts.push(...(await rootOnlyMounts()))
  if (!network)
    for (const folder of downloadingServices)
      if (await entryExists(folder)) mounts.push({ kind: 'emptyFolder', path: folder })
  for (const folder of furtherFolders) if (await entryExists(folder)) mounts.push({ kind: 'readOnly', path: folder })
  return mounts
}

let kernelSettings: Promise<string[]> | undefined

/**
 * Returns the entries of `/proc` other than processes through which root can change the kernel, such as `/proc/sys`.
 * They belong to the machine's root, which a sandbox's root still is. bubblewrap covers some of them, but not
 * `/proc/sys`, a folder that nobody can write.
 */
async function writableEntriesOfProc(): Promise<string[]> {
  const entries = (await readdir('/proc', { withFileTypes: true })).filter(({ name }) => !/^\d+$/.test(name))
  const found = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join('/proc', entry.name)
      const isWritable = async () => ((await stat(file).catch(() => undefined))?.mode ?? 0) & 0o222
      return entry.isDirectory() || (entry.isFile() && (await isWritable())) ? [file] : []
    }),
  )
  return found.flat()
}

/** Kernel folders that only root can read. */
const rootOnlyInterfaces = ['/sys/kernel/debug', '/sys/kernel/tracing']
/** Kernel files that only root can read, such as the machine's memory. */
const rootOnlyFiles = [
  'kcore',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'pagetypeinfo',
  'slabinfo',
  'timer_list',
  'vmallocinfo',
]

let rootOnlyConfiguration: Promise<Mount[]> | undefined

/** Hides what an ordinary user could not read either, such as private keys in `/etc`. */
async function rootOnlyMounts(): Promise<Mount[]> {
  const interfaces = [
    ...rootOnlyInterfaces.map((file): Mount => ({ kind: 'emptyFolder', path: file })),
    ...rootOnlyFiles.map((name): Mount => ({ kind: 'hiddenFile', path: `/proc/${name}` })),
  ]
  rootOnlyConfiguration ??= unreadableBelow('/etc')
  const mounts = [...interfaces, ...(await rootOnlyConfiguration)]
  const exists = await Promise.all(mounts.map(async (mount) => entryExists(mount.path)))
  return mounts.filter((mount, index) => exists[index] === true && !systemSecrets.includes(mount.path))
}

async function unreadableBelow(folder: string): Promise<Mount[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries.map(async (entry): Promise<Mount[]> => {
      const file = path.join(folder, entry.name)
      const mode = (await lstat(file).catch(() => undefined))?.mode ?? 0
      if (entry.isDirectory())
        return (mode & 0o5) === 0o5 ? unreadableBelow(file) : [{ kind: 'emptyFolder', path: file }]
      return entry.isFile() && (mode & 0o4) === 0 ? [{ kind: 'hiddenFile', path: file }] : []
    }),
  )
  return found.flat()
}

/** Whether a path exists, even as a dangling link. */
export async function entryExists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined
}
