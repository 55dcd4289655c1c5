/** One file system entry visible to a sandboxed command. Later and deeper entries cover earlier ones. */
export type Mount =
  /**
   * `isChecked`: the sandbox verifies that the mount shows the folder at the path, which another command could have
   * replaced by a link. Folders of the workspace are always verified.
   */
  | { kind: 'readOnly' | 'writable'; path: string; source?: string; isChecked?: true }
  /** An empty writable folder in memory. */
  | { kind: 'temporary'; path: string }
  /** An empty read-only folder. */
  | { kind: 'emptyFolder'; path: string }
  /** A file that can be neither read nor written. Git refuses to add it, so a commit cannot lose its content. */
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

/** Returns bubblewrap's arguments before `--` and the command. Sorts mounts so that folders precede what is in them. */
export function bubblewrapArguments({ mounts, network, cwd, seccompDescriptor }: BubblewrapLayout): string[] {
  const sorted = mounts.toSorted((a, b) => depth(a.path) - depth(b.path))
  return [
    // Root gets its own user namespace too, so that its capabilities are limited to the sandbox and dropped.
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
      // A device on a mount without devices cannot be opened.
      return ['--ro-bind', '/dev/null', path]
    case 'link':
      return ['--symlink', mount.target, path]
  }
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1
}
