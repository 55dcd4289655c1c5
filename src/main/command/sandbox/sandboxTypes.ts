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
  /** Decides how a command line will run, which its card shows before it is allowed. */
  plan(command: string, access: CommandAccess): Promise<CommandSandbox>
  /** Returns the invocation that runs another one in the sandbox. */
  enter(request: EnterRequest): Promise<SandboxedInvocation>
  /**
   * Returns what the sandbox blocked if that is why a command failed. A line that lacked network gets it the next time.
   */
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
   * Secret files that the command sees, because the user approved a line that names them. Relative to the workspace.
   */
  secrets?: readonly string[]
  /** Real paths of further folders that the command may change. */
  folders?: readonly string[]
  /**
   * For a program that only reads the workspace: it can change nothing in it, so nothing in it is covered or compared.
   * Default false.
   */
  readOnly?: boolean
  /** Real paths of further folders and files that the command sees. */
  readable?: readonly string[]
}

export interface SandboxedInvocation {
  invocation: Invocation
  environment: Record<string, string>
  /**
   * Removes what was prepared. Called when all processes have ended.
   * @returns protected places that were created or changed in the meantime
   */
  release(): Promise<ProtectedChanges | undefined>
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
  /** Finds protected places and secrets in the workspace. */
  scanner: WorkspaceScanner
  /** Limits of each command. Default: none. */
  limits?(): CommandLimits
  onChanged?(state: SandboxState): void
}

/** What the sandbox needs to know about the files of a workspace. Absolute paths. */
export interface WorkspaceScan {
  /** `.git` folders, `.git` files of worktrees and submodules, and bare repositories. */
  git: readonly string[]
  /** Existing protected files and folders, without `.git`. Not what is below a listed folder. */
  protectedPaths: readonly string[]
  /** Existing files with secrets, and sockets with such names. */
  secrets: readonly string[]
  /**
   * Protected places that the sandbox leaves writable, with what changes when they are written: links, and files in
   * folders of build output.
   */
  writable: ReadonlyMap<string, string>
  /** Whether the scan ended before it had read all folders. */
  partial: boolean
}

/** Finds git folders, protected files and secrets in a workspace. Keeps what it read, so that the next scan is fast. */
export interface WorkspaceScanner {
  /** Starts after this call, so it finds what exists now. */
  scan(): Promise<WorkspaceScan>
  dispose(): Promise<void>
}

export interface ScanRules {
  /** Whether a path relative to the workspace is protected; see approval/. */
  isProtected(relative: string): boolean
  isSecret(relative: string): boolean
}
