import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { CommandAccess, CommandSandbox } from '../../shared/commands/sandbox.ts'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import type { OmittedSize } from './truncatedOutput.ts'

export interface CommandRequest {
  /** A shell command line, or a program with arguments that runs without a shell. */
  run: { command: string } | { program: string; args: readonly string[] }
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  /**
   * Conversation that starts the command; undefined for the console and calls without a conversation. Calls that pass
   * `only` can access only its own commands.
   */
  conversationId?: string
  /** Time limit of the process tree in milliseconds, not counting time spent waiting for input. */
  timeoutMs?: number
  /** Returns after this many milliseconds and leaves the command running. Default: when it exits or waits for input. */
  waitMs?: number
  /** How the command runs, as shown to the user for approval. Default: as `plan` decides. */
  sandbox?: CommandSandbox
  /** Called during the call when the job starts and when its state changes. */
  onChanged?(job: JobInfo): void
}

export interface CommandOutcome {
  job: JobInfo
  /** Plain text without escape codes. Progress lines are in their last state. */
  output: string
  /** What was omitted from the middle of `output` because it was too long. */
  missing?: OmittedSize
}

/**
 * Whether a program that Tizona starts on its own needs the sandbox. `required`: its code or configuration comes from
 * the workspace. `preferred`: it is outside the workspace and runs no code from it, so it may run without a sandbox.
 * `none`: the user allowed it to run outside.
 */
export type Confinement = 'required' | 'preferred' | 'none'

/** A program that transforms standard input to standard output, such as a formatter. */
export interface FilterRequest {
  /** Absolute path. */
  program: string
  confinement: Confinement
  args: readonly string[]
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  input: string
  /** Time limit of the process tree in milliseconds. */
  timeoutMs: number
}

export interface FilterOutcome {
  exitCode: number | null
  output: string
  /** The last part of standard error. */
  errors: string
}

/** A program that communicates through pipes. */
export interface PipedProgramRequest {
  /** Name or path. */
  program: string
  args: readonly string[]
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  access: CommandAccess
  /** Extra variables. */
  env?: Readonly<Record<string, string>>
  /** Real absolute paths of folders outside the workspace that the program may change. */
  folders?: readonly string[]
  /** Real absolute paths outside the workspace that it may read, such as its own folder. */
  readable?: readonly string[]
}

/** A program that Tizona starts on its own for the workspace, such as a language server. */
export interface ConfinedProgramRequest {
  /** Absolute path. */
  program: string
  args: readonly string[]
  confinement: Confinement
  /** Whether it may change the workspace, like a command. Default: not. */
  writes?: boolean
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  /** Extra variables. */
  env?: Readonly<Record<string, string>>
  /** Real absolute paths outside the workspace that it may read, such as its own folder. */
  readable?: readonly string[]
  /** Real absolute paths of folders outside the workspace that it may change. */
  folders?: readonly string[]
}

/** A running program. */
export interface PipedProgram {
  child: ChildProcessWithoutNullStreams
  sandbox: CommandSandbox
  /** Ends the program and all its processes. Resolves when they have exited. */
  end(): Promise<void>
  /** Cleans up the sandbox. Called when the program has exited. */
  release(): Promise<void>
}

export interface ConfinedProgram extends Omit<PipedProgram, 'sandbox'> {
  /** Whether it runs in the sandbox. */
  sandboxed: boolean
}

export type StartConfinedProgram = (request: ConfinedProgramRequest, signal: AbortSignal) => Promise<ConfinedProgram>

export type StartPipedProgram = (request: PipedProgramRequest, signal: AbortSignal) => Promise<PipedProgram>

/** A program in a terminal that the user can type into. */
export interface TerminalProgramRequest extends Omit<PipedProgramRequest, 'access'> {
  /** Command line that the window shows. */
  title: string
}

export interface TerminalProgram {
  /** Id of its job. */
  id: string
  /** Resolves when all its processes have exited. */
  ended: Promise<void>
  end(): Promise<void>
}

export type StartTerminalProgram = (request: TerminalProgramRequest, signal: AbortSignal) => Promise<TerminalProgram>
