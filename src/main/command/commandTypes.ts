import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { CommandAccess, CommandSandbox } from '../../shared/commands/sandbox.ts'
import type { JobInfo } from '../../shared/tools/tool.ts'
import type { OmittedSize } from './truncatedOutput.ts'

export interface CommandRequest {
  /** A shell command line, or a program with arguments that runs without a shell. */
  run: { command: string } | { program: string; args: readonly string[] }
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  /**
   * Conversation that starts the command; undefined for the console and calls without a conversation. Limits access by
   * `only`.
   */
  conversationId?: string
  /** Time limit of the process tree in milliseconds. Waiting for input does not count. */
  timeoutMs?: number
  /** Returns after so many milliseconds and leaves the command running. Default: when it ends or waits for input. */
  waitMs?: number
  /** How the command runs, as it was shown before it was allowed. Default: as `plan` decides. */
  sandbox?: CommandSandbox
  /** Called during the call when the job starts and when its state changes. */
  onChanged?(job: JobInfo): void
}

export interface CommandOutcome {
  job: JobInfo
  /** Plain text without escape codes. Progress lines have their last state. */
  output: string
  /** What was omitted from the middle of `output` because it was too long. */
  missing?: OmittedSize
}

/**
 * Whether a program that Tizona starts by itself needs the sandbox. `required`: its code or configuration comes from the
 * workspace. `preferred`: it is outside the workspace and runs no code of it, so it also runs where there is no sandbox.
 * `none`: the user allowed it to run outside.
 */
export type Confinement = 'required' | 'preferred' | 'none'

/** A program that reads text from standard input and writes the changed text, such as a formatter. */
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
  /** The end of standard error. */
  errors: string
}

/** A program that talks through pipes. */
export interface PipedProgramRequest {
  /** Name or path. */
  program: string
  args: readonly string[]
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  access: CommandAccess
  /** Further variables. */
  env?: Readonly<Record<string, string>>
  /** Real absolute paths of folders outside the workspace that the program may change. */
  folders?: readonly string[]
}

/** A program that Tizona starts by itself for the workspace, such as a language server. */
export interface ConfinedProgramRequest {
  /** Absolute path. */
  program: string
  args: readonly string[]
  confinement: Confinement
  /** Real absolute path of a folder in the workspace. */
  cwd: string
  /** Further variables. */
  env?: Readonly<Record<string, string>>
  /** Real absolute paths outside the workspace that it reads, such as its own folder. */
  readable?: readonly string[]
}

/** A running program. */
export interface PipedProgram {
  child: ChildProcessWithoutNullStreams
  sandbox: CommandSandbox
  /** Ends the program with all its processes. Resolves when they have ended. */
  end(): Promise<void>
  /** Removes what was prepared for the sandbox. Called when the program has ended. */
  release(): Promise<void>
}

export interface ConfinedProgram extends Omit<PipedProgram, 'sandbox'> {
  /** Whether it runs in the sandbox. */
  sandboxed: boolean
}

export type StartConfinedProgram = (request: ConfinedProgramRequest, signal: AbortSignal) => Promise<ConfinedProgram>

export type StartPipedProgram = (request: PipedProgramRequest, signal: AbortSignal) => Promise<PipedProgram>
