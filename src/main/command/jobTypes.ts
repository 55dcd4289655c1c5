import type { CommandAccess, CommandSandbox, SandboxState } from '../../shared/commands/sandbox.ts'
import type { JobInfo } from '../../shared/tools/tool.ts'
import type {
  CommandOutcome,
  CommandRequest,
  FilterOutcome,
  FilterRequest,
  StartConfinedProgram,
  StartPipedProgram,
} from './commandTypes.ts'
import type { CommandLimits } from './sandbox/cgroupLimits.ts'
import type { Sandbox } from './sandbox/sandboxTypes.ts'

/** Owner of commands: a conversation, or, if undefined, the console and calls without a conversation. */
export interface JobOwner {
  conversationId: string | undefined
}

/** Commands and terminals of one workspace. */
export interface Jobs {
  /** Whether commands can run in a sandbox. */
  sandboxState(): SandboxState
  /** Starts to check the sandbox a moment later, so that the first command need not wait for it. */
  prepare(): void
  /** Decides how a command line will run. Its card shows this before it is allowed. */
  plan(command: string, access: CommandAccess): Promise<CommandSandbox>
  /**
   * Runs a command until it ends, waits for input, or `waitMs` has passed, and returns all output so far. Aborting ends
   * the process tree.
   * @throws ToolError `command_not_found`, `io_error`; `cancelled` on abort
   */
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandOutcome>
  /**
   * Returns the output since the last read: when there is some, when the command ends or starts to wait for input, or
   * after `waitMs`.
   * @throws ToolError `unknown_job`, even for commands of another conversation
   */
  readOutput(
    id: string,
    options: { waitMs: number; conversationId?: string; signal?: AbortSignal },
  ): Promise<CommandOutcome>
  /**
   * Ends a job with all its processes and resolves when they have ended. With `only`, terminals of the user and
   * commands of others are unknown.
   * @throws ToolError `unknown_job`
   */
  stop(id: string, only?: JobOwner): Promise<JobInfo>
  /** Opens the user's interactive shell in the root of the workspace. */
  openTerminal(size: { columns: number; rows: number }): Promise<JobInfo>
  /** Sends input to a job. @throws ToolError `unknown_job`; `conflict` if it has ended */
  input(id: string, data: string): void
  resize(id: string, columns: number, rows: number): void
  /** Gives a job a name for display. An empty one removes it. @throws ToolError `unknown_job` */
  rename(id: string, name: string): void
  /** Returns the last 1 MiB of a job's output, including escape codes. */
  backlog(id: string): string
  list(): JobInfo[]
  /**
   * Runs a program that changes a text, with pipes, until it ends. Aborting ends the process tree.
   * @throws ToolError `timeout`, `too_large`, `io_error`; `refused` if it needs a sandbox and there is none
   */
  filter(request: FilterRequest, signal: AbortSignal): Promise<FilterOutcome>
  /** Starts a program that talks through pipes, in the sandbox. @throws ToolError `io_error` */
  startProgram: StartPipedProgram
  /**
   * Starts a program with pipes in the sandbox, without network and with a read-only workspace. Where there is no
   * sandbox, `confinement` decides whether it starts.
   * @throws ToolError `refused` if there is no sandbox; `io_error`
   */
  startConfined: StartConfinedProgram
  /** Returns why no program can be confined, as the end of a sentence; undefined if programs can. */
  unconfinedReason(): Promise<string | undefined>
  processTracking: ProcessTracking
  /** Removes a job from the list. Ends it first if it runs. */
  forget(id: string): Promise<void>
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
  /** Ends a process tree. Resolves when all processes that may be ended have ended. */
  end(root: number, jobTag: string): Promise<void>
}

export interface JobsOptions {
  /** Real path. */
  workspaceRoot: string
  onChanged(job: JobInfo): void
  /** Receives raw output in batches. */
  onOutput(id: string, data: string): void
  onForgotten?(id: string): void
  /** Time between TERM and KILL in milliseconds. Default 2000. */
  graceMs?: number
  /** Folder for the record with which the next start ends processes left by a killed one. Default: no record. */
  records?: string
  /** Called if the record fails. Commands still run. */
  onProblem?(error: unknown): void
  /** Default `process.env`. */
  environment?: NodeJS.ProcessEnv
  /** Default: commands are not sandboxed. */
  sandbox?: Sandbox
  /** Limits of each command. Default: none. */
  limits?(): CommandLimits
  /** Names of further variables that commands get. Default none. */
  passedVariables?(): readonly string[]
}
