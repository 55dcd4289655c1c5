import type { CommandSandbox, ProtectedChanges, SandboxDenial } from './sandbox.ts'

export type JobState = 'running' | 'waiting_for_input' | 'exited' | 'killed' | 'failed'

/** A command or terminal, running or ended. */
export interface JobInfo {
  id: string
  kind: 'command' | 'terminal'
  /** Command line for display. */
  command: string
  /** Name given by the user. */
  name?: string
  /** Relative to the workspace, `.` for the root. */
  cwd: string
  state: JobState
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt?: number
  exitCode?: number
  /** Signal that ended the process, e.g. `SIGTERM`. */
  signal?: string
  /** Why Tizona ended the process. Absent if it exited by itself. */
  endedBy?: 'timeout' | 'cancel' | 'stop' | 'shutdown' | 'processes' | 'memory'
  /** Part of the marks of command lines that a terminal's shell sends. Absent if it sends none. */
  marksCode?: string
  /** How a command runs. Absent for terminals and in conversations of older versions. */
  sandbox?: CommandSandbox
  /** What the sandbox blocked. */
  denial?: SandboxDenial
  /** Protected files and folders that were created or changed while the command ran. Absent if there are none. */
  protectedChanges?: ProtectedChanges
}
