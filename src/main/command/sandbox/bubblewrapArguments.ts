/** One entry of the file system that a sandboxed command sees. Later and deeper entries cover earlier ones. */
export type Mount =
  | { kind: 'readOnly' | 'writable'; path: string; source?: string }
  /** An empty writable folder in memory. */
  | { kind: 'temporary'; path: string }
  /** An empty folder that cannot be written. */
  | { kind: 'emptyFolder'; path: string }
  /** A file that can neither be read nor written. Git refuses to add it, so a commit cannot lose its content. */
  | { kind: 'hiddenFile'; path: string }
  | { kind: 'link'; path: string; target: string }

export interface BubblewrapLayout {
  mounts: readonly Mount[]
  network: boolean
  /** Folder in which the command starts. */
  cwd: string
  /** Descriptor of the seccomp filter. */
  seccompDescriptor?: number
}

/**
 * Returns the arguments of bubblewrap before `--` and the command. Pure. Mounts are sorted: folders before what is in
 * them.
 */
export function bubblewrapArguments({ mounts, network, cwd, seccompDescriptor }: BubblewrapLayout): string[] {
  const sorted = mounts.toSorted((a, b) => depth(a.path) - depth(b.path))
  return [
    // A user namespace of its own also for root, whose capabilities are then limited to the sandbox and dropped.
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...(seccompDescriptor === undefined ? ['--new-session'] : ['--seccomp', String(seccompDescriptor)]),
    ...sorted.filter(({ path }) => depth(path) === 0).flatMap(mountArguments),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...sorted.filter(({ path }) => depth(path) > 0).flatMap(mountArguments),
    '--chdir',
    cwd,
  ]
}

function mountArguments(mount: Mount): string[] {
  const { path } = mount
  switch (mount.kind) {
    case 'readOnly':
      return ['--ro-bind', mount.source ?? path, path]
    case 'writable':
      return ['--bind', mount.source ?? path, path]
    case 'temporary':
      return ['--tmpfs', path]
    case 'emptyFolder':
      return ['--tmpfs', path, '--remount-ro', path]
    case 'hiddenFile':
      // A device on a mount without devices: opening it fails.
      return ['--ro-bind', '/dev/null', path]
    case 'link':
      return ['--symlink', mount.target, path]
  }
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1
}
