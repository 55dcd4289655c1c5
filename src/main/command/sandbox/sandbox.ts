import { createHash } from 'node:crypto'
import { lstat, realpath } from 'node:fs/promises'
import { release } from 'node:os'
import path from 'node:path'
import {
  unsandboxedReason,
  type CommandAccess,
  type CommandSandbox,
  type SandboxDenial,
  type SandboxState,
} from '../../../shared/sandbox.ts'
import { allDescriptorsPattern, closeInherited } from '../../base/inheritedDescriptors.ts'
import { readInvocations } from '../invocations.ts'
import type { Invocation } from '../shellProgram.ts'
import { bubblewrapArguments, type Mount } from './bubblewrapArguments.ts'
import { createCgroup, threadsPerProcess, type CommandLimits } from './cgroupLimits.ts'
import { configMounts } from './homeConfig.ts'
import { homeToolchains } from './homeToolchains.ts'
import { needsNetwork } from './networkCommands.ts'
import { isInside } from './paths.ts'
import { createPlaceholders } from './placeholders.ts'
import { missingPaths, recogniseDenial } from './sandboxDenial.ts'
import { sandboxMounts } from './sandboxLayout.ts'
import type { SandboxProgram } from './sandboxProbe.ts'
import { seatbeltProfile } from './seatbeltProfile.ts'
import { printfEscapes, seccompFilter } from './seccompFilter.ts'
import { scanWorkspace, type ScanRules } from './workspaceScan.ts'

/** Runs the commands of one workspace in a sandbox. */
export interface Sandbox {
  state(): SandboxState
  /** Checks the machine, at most once. */
  check(): Promise<unknown>
  /** Decides how a command line will run, which its card shows before it is allowed. */
  plan(command: string, access: CommandAccess): Promise<CommandSandbox>
  /** Returns the invocation that runs another one in the sandbox. */
  enter(request: EnterRequest): Promise<Entered>
  /** Returns what the sandbox blocked if that is why a command failed. A line that lacked network gets it the next time. */
  denial(command: string, sandbox: CommandSandbox, output: string): Promise<SandboxDenial | undefined>
  /** Records that a command line needs network because it listens for connections. */
  remember(command: string): void
}

export interface EnterRequest {
  invocation: Invocation
  environment: Record<string, string>
  /** Real path. */
  cwd: string
  network: boolean
}

export interface Entered {
  invocation: Invocation
  environment: Record<string, string>
  /** Removes what was prepared. Called when all processes have ended. */
  release(): Promise<void>
}

export interface SandboxOptions {
  /** Checks the machine. Called at most once. */
  probe(): Promise<SandboxProgram>
  /** Real path. */
  workspaceRoot: string
  home: string
  userData: string
  /** Further folders that are hidden. Default none. */
  hidden?: readonly string[]
  /** Whether the user wants a sandbox. */
  enabled(): boolean
  rules: ScanRules
  /** Limits of each command. Default: none. */
  limits?(): CommandLimits
  onChanged?(state: SandboxState): void
}

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

export function createSandbox(options: SandboxOptions): Sandbox {
  const placeholders = createPlaceholders()
  /** Command lines that failed because they had no network. */
  const wantNetwork = new Set<string>()
  /** Files that the last command saw empty. */
  let masked: readonly string[] = []
  let checked: SandboxState = { kind: 'checking' }
  let probing: Promise<SandboxProgram> | undefined
  let config: Promise<Mount[]> | undefined
  const folder = path.join(
    options.userData,
    'sandbox',
    createHash('sha256').update(options.workspaceRoot).digest('hex').slice(0, 16),
  )

  async function check(): Promise<SandboxProgram> {
    probing ??= options.probe().then((found) => {
      checked = found.state
      options.onChanged?.(state())
      return found
    })
    return probing
  }

  function state(): SandboxState {
    return options.enabled() ? checked : { kind: 'off' }
  }

  async function bubblewrap(program: string, request: EnterRequest): Promise<Entered> {
    const { invocation, environment, cwd, network } = request
    const { workspaceRoot: workspace } = options
    const home = await realOrSame(options.home)
    const userData = await realOrSame(options.userData)
    const scan = await scanWorkspace(workspace, options.rules)
    masked = scan.secrets
    config ??= configMounts(options.home, path.join(folder, 'config'))
    const mounts = await sandboxMounts({
      workspace,
      home,
      userData,
      hidden: options.hidden ?? [],
      caches: path.join(folder, 'caches'),
      path: environment.PATH ?? '',
      network,
      scan,
    })
    const covered = await placeholders.cover(workspace)
    const configuration = isInside(home, workspace) ? [] : await config
    // A shell without process substitution cannot pass the filter. bubblewrap then starts a new terminal session.
    const bash = path.basename(invocation.file) === 'bash' ? invocation.file : undefined
    const filter = bash === undefined ? undefined : seccompFilter(process.arch)
    const args = bubblewrapArguments({
      mounts: [...mounts, ...configuration, ...covered.mounts],
      network,
      cwd,
      seccompDescriptor: filter && filterDescriptor,
    })
    const limits = options.limits?.()
    const inner = limits && bash !== undefined ? withProcessLimit(bash, limits, invocation) : invocation
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
      },
    }
  }

  async function seatbelt(program: string, request: EnterRequest): Promise<Entered> {
    const { workspaceRoot: workspace, home, userData, rules } = options
    const scan = await scanWorkspace(workspace, rules)
    const profile = seatbeltProfile({
      workspace,
      home,
      temporary: await realOrSame('/private/tmp'),
      readable: homeToolchains.map((name) => path.join(home, name)),
      writable: [path.join(home, '.cache'), path.join(home, 'Library', 'Caches')],
      protectedPaths: [
        ...scan.protectedPaths,
        ...scan.git.flatMap((git) => ['config', 'hooks', 'commondir'].map((name) => path.join(git, name))),
        ...['.vscode', '.idea', '.husky', '.envrc', '.mcp.json', '.npmrc'].map((name) => path.join(workspace, name)),
      ],
      hidden: [...scan.secrets, userData, ...(options.hidden ?? [])],
      network: request.network,
    })
    const { file, args } = request.invocation
    return {
      invocation: { file: program, args: ['-p', profile, file, ...args] },
      environment: { ...request.environment, TMPDIR: '/private/tmp' },
      release: async () => undefined,
    }
  }

  return {
    state,
    check,
    async plan(command, access) {
      if (access === 'outside') return { sandboxed: false, reason: 'allowed for this run' }
      if (options.enabled()) await check()
      const reason = unsandboxedReason(state())
      if (reason !== undefined) return { sandboxed: false, reason }
      if (access === 'network' || wantNetwork.has(command)) return { sandboxed: true, network: true }
      const read = await readInvocations(command)
      return { sandboxed: true, network: read !== undefined && needsNetwork(read.commands) }
    },
    async enter(request) {
      const { state: found, program } = await check()
      if (program === undefined || found.kind !== 'available') throw new Error('The sandbox is not available.')
      return found.program === 'bubblewrap' ? bubblewrap(program, request) : seatbelt(program, request)
    },
    async denial(command, sandbox, output) {
      const named = masked.filter((file) => output.includes(path.basename(file))).map((file) => path.basename(file))
      const hidden = sandbox.sandboxed
        ? [...named, ...(await hiddenPaths(missingPaths(output), options.workspaceRoot))]
        : []
      const found = recogniseDenial({ output, sandbox, hidden })
      if (found?.kind === 'network') wantNetwork.add(command)
      return found
    },
    remember: (command) => void wantNetwork.add(command),
  }
}

/**
 * Runs a program with the filter on a descriptor and in a cgroup. Bash writes the filter, because node-pty passes no
 * descriptors.
 */
function launcher(bash: string, filter: Buffer, command: readonly string[], cgroup = ''): Invocation {
  // A sandboxed process could use what its launcher inherited through /proc/1/fd.
  const script =
    closeInherited(allDescriptorsPattern) +
    '[ -z "$1" ] || echo $$ 2>/dev/null >"$1"; shift; ' +
    `exec ${filterDescriptor}< <(printf '${printfEscapes(filter)}'); exec "$@"`
  return { file: bash, args: ['--noprofile', '--norc', '-c', script, 'bash', cgroup, ...command] }
}

/**
 * Limits processes with RLIMIT_NPROC, which counts those of one user namespace since Linux 5.14. It is set in the sandbox,
 * as before that it would count all processes of the user. Root is exempt.
 */
function withProcessLimit(bash: string, limits: CommandLimits, invocation: Invocation): Invocation {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  if (major < 5 || (major === 5 && minor < 14)) return invocation
  const script = `ulimit -u ${limits.processes * threadsPerProcess} 2>/dev/null; exec "$@"`
  const { file, args } = invocation
  return { file: bash, args: ['--noprofile', '--norc', '-c', script, 'bash', file, ...args] }
}

function sandboxEnvironment(environment: Record<string, string>): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => !outsideVariables.includes(name))),
    TMPDIR: '/tmp',
  }
}

/** Folders that commands see. */
const visibleFolders = /^\/(?:usr|bin|sbin|lib\w*|etc|opt|nix|proc|dev|sys)(?:\/|$)/

/** Paths that exist but are hidden in the sandbox. */
async function hiddenPaths(files: readonly string[], workspace: string): Promise<string[]> {
  const found = await Promise.all(
    files.map(
      async (file) =>
        !isInside(file, workspace) &&
        !visibleFolders.test(file) &&
        (await lstat(file).catch(() => undefined)) !== undefined,
    ),
  )
  return files.filter((_, index) => found[index])
}

async function realOrSame(file: string): Promise<string> {
  return realpath(file).catch(() => file)
}
