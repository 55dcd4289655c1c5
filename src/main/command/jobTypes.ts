import type { WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import type { CommandAccess, CommandSandbox, SandboxState } from '../../shared/commands/sandbox.ts'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import type {
  CommandOutcome,
  CommandRequest,
  FilterOutcome,
  FilterRequest,
  StartConfinedProgram,
  StartPipedProgram,
  StartTerminalProgram,
} from './commandTypes.ts'
import type { Job } from './job.ts'
import type { CommandLimits } from './sandbox/cgroupLimits.ts'
import type { Sandbox } from './sandbox/sandboxTypes.ts'

/** Owner of a command: a conversation; undefined for the console and calls without a conversation. */
export interface JobOwner {
  conversationId: string | undefined
}

/** Commands and terminals of one workspace. */
export interface Jobs {
  /** Whether commands can run in a sandbox. */
  sandboxState(): SandboxState
  /** Schedules the check of the sandbox, so that the first command need not wait for it. */
  prepare(): void
  /** Decides how a command line will run. Shown to the user before approval. */
  plan(command: string, access: CommandAccess): Promise<CommandSandbox>
  /**
   * Runs a command until it exits, waits for input, or `waitMs` has passed, and returns all output so far. Aborting
   * ends the process tree.
   * @throws ToolError `command_not_found`, `io_error`; `cancelled` on abort
   */
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandOutcome>
  /**
   * Returns the output since the last read, as soon as there is some, the command exits or starts to wait for input, or
   * `waitMs` has passed.
   * @throws ToolError `unknown_job`, even for commands of another conversation
   */
  readOutput(
    id: string,
    options: { waitMs: number; conversationId?: string; signal?: AbortSignal },
  ): Promise<CommandOutcome>
  /**
   * Ends a job and all its processes, and resolves when they have exited. With `only`, user terminals and commands of
   * other owners count as unknown.
   * @throws ToolError `unknown_job`
   */
  stop(id: string, only?: JobOwner): Promise<JobInfo>
  /** Opens the user's interactive shell. @param options.cwd absolute path; default: the workspace root */
  openTerminal(options: { columns: number; rows: number; cwd?: string }): Promise<JobInfo>
  /** Sends input to a job. @throws ToolError `unknown_job`; `conflict` if it has ended */
  input(id: string, data: string): void
  resize(id: string, columns: number, rows: number): void
  /** Sets a job's display name. An empty one removes it. @throws ToolError `unknown_job` */
  rename(id: string, name: string): void
  /** Returns the last 1 MiB of a job's output, including escape codes. */
  backlog(id: string): string
  list(): JobInfo[]
  /**
   * Runs a program that transforms text, with pipes, until it exits. Aborting ends the process tree.
   * @throws ToolError `timeout`, `too_large`, `io_error`; `refused` if it needs a sandbox and there is none
   */
  filter(request: FilterRequest, signal: AbortSignal): Promise<FilterOutcome>
  /** Starts a program that communicates through pipes, in the sandbox. @throws ToolError `io_error` */
  startProgram: StartPipedProgram
  /** Starts a program in the sandbox without network, in a terminal of the window. @throws ToolError `command_not_found`, `io_error` */
  startInTerminal: StartTerminalProgram
  /**
   * Starts a program with pipes in the sandbox, without network and with a read-only workspace. Without a sandbox,
   * `confinement` decides whether it starts.
   * @throws ToolError `refused` if there is no sandbox; `io_error`
   */
  startConfined: StartConfinedProgram
  /** Returns why programs cannot be confined, as a clause; undefined if they can. */
  unconfinedReason(): Promise<string | undefined>
  processTracking: ProcessTracking
  /** Removes a job from the list, ending it first if necessary. */
  forget(id: string): Promise<void>
  /**
   * Removes terminals and ended commands from the list without ending them. The jobs of the same window with other
   * folders adopt them.
   */
  handOver(): Job[]
  adopt(jobs: readonly Job[]): void
  /** Ends every job and all processes left by commands. */
  dispose(): Promise<void>
}

/** Records processes of the open folder that are not jobs, e.g. MCP servers, and ends them like commands. */
export interface ProcessTracking {
  /** Name of the environment variable that holds a process's job tag. */
  variable: string
  /** Prepares the start of a process. @returns its job tag */
  begin(): Promise<string>
  started(pid: number): void
  /** Ends a process tree. Resolves when all processes that Tizona may end have exited. */
  end(root: number, jobTag: string): Promise<void>
}

export interface JobsOptions {
  /** Real path. */
  workspaceRoot: string
  /** Folders of a multi-root workspace. */
  folders?: readonly WorkspaceFolder[] | undefined
  onChanged(job: JobInfo): void
  /** Receives raw output in batches. */
  onOutput(id: string, data: string): void
  onForgotten?(id: string): void
  /** Milliseconds between TERM and KILL. Default 2000. */
  graceMs?: number
  /** Folder of the record that lets the next start end processes left by a killed one. Default: no record. */
  records?: string
  /** Called if the record fails. Commands still run. */
  onProblem?(error: unknown): void
  /** `resources/` of the installation. Default: terminals have no marks of commands. */
  resources?: string
  /** Default `process.env`. */
  environment?: NodeJS.ProcessEnv
  /** Default: commands are not sandboxed. */
  sandbox?: Sandbox
  /** Limits of each command. Default: none. */
  limits?(): CommandLimits
  /** Names of extra variables passed to commands. Default none. */
  passedVariables?(): readonly string[]
}
