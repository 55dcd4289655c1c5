import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import type {
  CommandAccess,
  CommandSandbox,
  ProtectedChanges,
  SandboxDenial,
  SandboxState,
} from '../../../shared/commands/sandbox.ts'
import type { Invocation } from '../shellProgram.ts'
import type { CommandLimits } from './cgroupLimits.ts'
import type { SandboxProgram } from './sandboxProbe.ts'

/** Runs the commands of one workspace in a sandbox. */
export interface Sandbox {
  state(): SandboxState
  /** Checks the machine, at most once. */
  check(): Promise<unknown>
  /** Decides how a command line will run. Its card shows this for approval. */
  plan(command: string, access: CommandAccess): Promise<CommandSandbox>
  /** Returns an invocation that runs another one in the sandbox. */
  enter(request: EnterRequest): Promise<SandboxedInvocation>
  /** Returns what the sandbox blocked if that made a command fail. A line that lacked network gets it the next time. */
  denial(command: string, sandbox: CommandSandbox, output: string): Promise<SandboxDenial | undefined>
  /** Records that a command line needs network because it listens for connections. */
  remember(command: string): void
  dispose(): Promise<void>
}

export interface EnterRequest {
  invocation: Invocation
  environment: Record<string, string>
  /** Real path. */
  cwd: string
  network: boolean
  /**
   * Secret files visible to the command, because the user approved a line that names them. Relative to the workspace.
   */
  secrets?: readonly string[]
  /** Real paths of additional folders that the command may change. */
  folders?: readonly string[]
  /**
   * For a program that only reads the workspace: since it can change nothing there, nothing is covered or compared.
   * Default false.
   */
  readOnly?: boolean
  /** Real paths of additional folders and files visible to the command. */
  readable?: readonly string[]
}

export interface SandboxedInvocation {
  invocation: Invocation
  environment: Record<string, string>
  /**
   * Cleans up. Called when all processes have exited.
   * @returns protected paths that were created or changed in the meantime
   */
  release(): Promise<ProtectedChanges | undefined>
}

export interface SandboxOptions {
  /** Checks the machine. Called at most once. */
  probe(): Promise<SandboxProgram>
  workspace: WorkspaceRoots
  home: string
  userData: string
  /** Additional folders that are hidden. Default none. */
  hidden?: readonly string[]
  /** Whether the user wants a sandbox. */
  enabled(): boolean
  /** Finds protected paths and secrets in the workspace. */
  scanner: WorkspaceScanner
  /** Limits of each command. Default: none. */
  limits?(): CommandLimits
  onChanged?(state: SandboxState): void
}

/** What the sandbox needs to know about a workspace's files. Absolute paths. */
export interface WorkspaceScan {
  /** `.git` folders, `.git` files of worktrees and submodules, and bare repositories. */
  git: readonly string[]
  /** Existing protected files and folders, except `.git`. Excludes everything inside a listed folder. */
  protectedPaths: readonly string[]
  /** Existing files with secrets, and sockets with such names. */
  secrets: readonly string[]
  /**
   * Protected paths that the sandbox leaves writable, and the effect of writing them: links, and files in build output
   * folders.
   */
  writable: ReadonlyMap<string, string>
  /** Whether the scan stopped before it had read all folders. */
  partial: boolean
}

/**
 * Finds git folders, protected files and secrets in a workspace. Caches what it read, so that the next scan is fast.
 */
export interface WorkspaceScanner {
  /** The scan starts after this call, so it finds everything that exists now. */
  scan(): Promise<WorkspaceScan>
  dispose(): Promise<void>
}

export interface ScanRules {
  /** Whether a path relative to the workspace is protected; see approval/. */
  isProtected(relative: string): boolean
  isSecret(relative: string): boolean
}
