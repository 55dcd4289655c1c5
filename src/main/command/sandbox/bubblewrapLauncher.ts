import { release } from 'node:os'
import path from 'node:path'
import { allDescriptorsPattern, closeInherited } from '../../base/inheritedDescriptors.ts'
import type { Invocation } from '../shellProgram.ts'
import { bubblewrapArguments, type Mount } from './bubblewrapArguments.ts'
import { createCgroup, threadsPerProcess, type CommandLimits } from './cgroupLimits.ts'
import { gitFoldersOf } from './gitFolders.ts'
import { gitPlaceholders, type Placeholders } from './placeholders.ts'
import { configMounts, existingFolders, sandboxMounts } from './sandboxMounts.ts'
import { expectedMounts, mountCheck } from './mountCheck.ts'
import { folderPaths } from '../../base/workspaceRoots.ts'
import { isInsideAny, realOrSame } from './paths.ts'
import type { CoveredPath } from './placeholderRecord.ts'
import type { EnterRequest, SandboxOptions, SandboxedInvocation, WorkspaceScan } from './sandboxTypes.ts'
import { printfEscapes, seccompFilter } from './seccompFilter.ts'

/** Variables that refer to services outside the sandbox. */
const outsideVariables = [
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'GPG_AGENT_INFO',
  'SSH_AUTH_SOCK',
  'TMPDIR',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
]

/** Descriptor of the seccomp filter in the launching shell, which has closed it before. */
const filterDescriptor = 9

export interface BubblewrapLauncher {
  /**
   * @param scan the workspace, without secrets that the command may see
   * @param gitPaths hooks and configuration outside git folders, which may be missing
   */
  enter(
    program: string,
    request: EnterRequest,
    scan: WorkspaceScan,
    gitPaths: readonly CoveredPath[],
  ): Promise<SandboxedInvocation>
}

/** @param folder the workspace's folder in the user data, for package caches and copies of configuration */
export function createBubblewrapLauncher(
  options: SandboxOptions,
  folder: string,
  placeholders: Placeholders,
): BubblewrapLauncher {
  let config: Promise<Mount[]> | undefined

  async function mountsFor(
    { environment, network, folders = [], readable = [], readOnly = false }: EnterRequest,
    scan: WorkspaceScan,
  ): Promise<Mount[]> {
    const { workspace } = options
    const home = await realOrSame(options.home)
    config ??= configMounts(options.home, path.join(folder, 'config'))
    const mounts = await sandboxMounts({
      workspace,
      home,
      userData: await realOrSame(options.userData),
      hidden: options.hidden ?? [],
      caches: path.join(folder, 'caches'),
      path: environment.PATH ?? '',
      network,
      scan,
      readOnly,
    })
    const further = [
      ...readable.map((file): Mount => ({ kind: 'readOnly', path: file })),
      ...folders.map((file): Mount => ({ kind: 'writable', path: file })),
    ]
    return isInsideAny(home, folderPaths(workspace))
      ? [...mounts, ...further]
      : [...mounts, ...(await config), ...further]
  }

  return {
    async enter(program, request, scan, gitPaths) {
      const { invocation, environment, cwd, network } = request
      const folders = await existingFolders(options.workspace)
      const mounts = await mountsFor(request, scan)
      const covered =
        request.readOnly === true
          ? { mounts: [], release: async () => undefined }
          : await placeholders.cover(folders, await absentGitPaths(scan, gitPaths))
      // A shell without process substitution cannot pass the filter. bubblewrap then starts a new terminal session.
      const bash = path.basename(invocation.file) === 'bash' ? invocation.file : undefined
      const filter = bash === undefined ? undefined : seccompFilter(process.arch)
      const args = bubblewrapArguments({
        mounts: [...mounts, ...covered.mounts],
        network,
        cwd,
        seccompDescriptor: filter && filterDescriptor,
      })
      const limits = options.limits?.()
      const expected = await expectedMounts([...mounts, ...covered.mounts], folders)
      const inner =
        bash === undefined
          ? invocation
          : insideSandbox(bash, invocation, { limits, check: mountCheck(expected, folders[0] ?? '') })
      const command = [program, ...args, '--', inner.file, ...inner.args]
      const cgroup = limits && bash !== undefined ? await createCgroup(limits) : undefined
      return {
        invocation:
          bash === undefined || filter === undefined
            ? { file: program, args: command.slice(1) }
            : launcher(bash, filter, command, cgroup?.file),
        environment: sandboxEnvironment(environment),
        async release() {
          await Promise.all([covered.release(), cgroup?.remove()])
          return undefined
        },
      }
    },
  }
}

/** Hooks and configuration that a command must not create, including existing ones. */
async function absentGitPaths(scan: WorkspaceScan, gitPaths: readonly CoveredPath[]): Promise<CoveredPath[]> {
  const folders = await Promise.all(scan.git.map((dotGit) => gitFoldersOf(dotGit)))
  const inFolders = await Promise.all([...new Set(folders.flat())].map((folder) => gitPlaceholders(folder)))
  return [...inFolders.flat(), ...gitPaths]
}

/**
 * Runs a program in a cgroup and with the filter on a descriptor. Bash writes the filter, because node-pty passes no
 * descriptors.
 */
function launcher(bash: string, filter: Buffer, command: readonly string[], cgroup = ''): Invocation {
  // Through /proc/1/fd, a sandboxed process could use descriptors that its launcher inherited.
  const script =
    closeInherited(allDescriptorsPattern) +
    '[ -z "$1" ] || echo $$ 2>/dev/null >"$1"; shift; ' +
    `exec ${filterDescriptor}< <(printf '${printfEscapes(filter)}'); exec "$@"`
  return { file: bash, args: ['--noprofile', '--norc', '-c', script, 'bash', cgroup, ...command] }
}

/**
 * Verifies the mounts and limits the number of processes before the command starts. The limit (RLIMIT_NPROC) is set
 * inside the sandbox, where it counts the processes of one user namespace. Before Linux 5.14 it counted all processes
 * of the user, so it is not set there. Root is exempt.
 */
function insideSandbox(
  bash: string,
  { file, args }: Invocation,
  { limits, check }: { limits: CommandLimits | undefined; check: ReturnType<typeof mountCheck> },
): Invocation {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const counted = limits !== undefined && (major > 5 || (major === 5 && minor >= 14))
  const limit = counted ? `ulimit -u ${limits.processes * threadsPerProcess} 2>/dev/null; ` : ''
  const script = `${check.script}; ${limit}exec "$@"`
  return { file: bash, args: ['--noprofile', '--norc', '-c', script, 'bash', ...check.parameters, file, ...args] }
}

function sandboxEnvironment(environment: Record<string, string>): Record<string, string> {
  const { GOFLAGS: goFlags = '' } = environment
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => !outsideVariables.includes(name))),
    TMPDIR: '/tmp',
    // Go takes the placeholder of an absent `.git` for a repository, and would fail to read its revision.
    GOFLAGS: goFlags.includes('-buildvcs') ? goFlags : `${goFlags} -buildvcs=false`.trim(),
  }
}
