import { randomBytes } from 'node:crypto'
import type { CommandAccess, CommandSandbox, SandboxState } from '../../shared/sandbox.ts'
import type { JobInfo } from '../../shared/tool.ts'
import type { Missing } from './truncatedOutput.ts'
import { terminalEnvironment } from './commandEnvironment.ts'
import { createCommandRunner } from './commandRunner.ts'
import { createJobRecord, endOrphans } from './jobRecord.ts'
import { createJobTable } from './jobTable.ts'
import { endTree, jobVariable } from './processTree.ts'
import type { CommandLimits } from './sandbox/cgroupLimits.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { commandLine, interactiveShell, replacing } from './shellProgram.ts'

/** Silence after which new output is returned, in milliseconds; longer at a prompt, where a user may be typing. */
const settleMs = { running: 150, waiting: 1500 }

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
  missing?: Missing
}

/** Limits access to the commands of a conversation; undefined: of the console and calls without a conversation. */
export interface Reach {
  conversationId: string | undefined
}

/** Commands and terminals of one workspace. */
export interface Jobs {
  /** Whether commands can run in a sandbox. */
  sandboxState(): SandboxState
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
   * @throws ToolError `unknown_job`, also for commands of another conversation
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
  stop(id: string, only?: Reach): Promise<JobInfo>
  /** Opens the user's interactive shell in the root of the workspace. */
  openTerminal(size: { columns: number; rows: number }): Promise<JobInfo>
  /** Sends input to a job. @throws ToolError `unknown_job`; `conflict` if it has ended */
  input(id: string, data: string): void
  resize(id: string, columns: number, rows: number): void
  /** Returns the last 1 MiB of a job's output, including escape codes. */
  backlog(id: string): string
  list(): JobInfo[]
  /** Support for other processes of the open folder, which are recorded and ended like commands. */
  companions: Companions
  /** Removes a job from the list. Ends it first if it runs. */
  forget(id: string): Promise<void>
  /** Ends every job and all processes left by commands. */
  dispose(): Promise<void>
}

export interface Companions {
  /** Environment variable for the mark. */
  variable: string
  /** Prepares the start of a process. @returns its mark */
  begin(): Promise<string>
  started(pid: number): void
  /** Ends a process tree. Resolves when all processes that may be ended have ended. */
  end(root: number, mark: string): Promise<void>
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

/** Commands are not sandboxed in a host that gives no sandbox. */
const noSandbox: CommandSandbox = { sandboxed: false, reason: 'no sandbox in this host' }

export function createJobs(options: JobsOptions): Jobs {
  const graceMs = options.graceMs ?? 2000
  const source = options.environment ?? process.env
  /** Prefix of every mark, to find processes left by commands. */
  const instance = randomBytes(8).toString('hex')
  const table = createJobTable({ ...options, graceMs, instance })
  const { find, start } = table
  const record = options.records === undefined ? undefined : createJobRecord(options.records, instance)
  const problem = (error: unknown): void => options.onProblem?.(error)
  const orphans =
    options.records === undefined ? Promise.resolve(0) : endOrphans(options.records, graceMs).catch(problem)
  const plan: Jobs['plan'] = async (command, access) => options.sandbox?.plan(command, access) ?? noSandbox

  return {
    sandboxState: () => options.sandbox?.state() ?? { kind: 'off' },
    plan,
    run: createCommandRunner({
      table,
      plan,
      source,
      sandbox: options.sandbox,
      passedVariables: options.passedVariables,
      beforeStart: async () => record?.open().catch(problem),
      started: (pid) => void record?.add(pid).catch(problem),
    }),

    async readOutput(id, { waitMs, conversationId, signal }) {
      const job = find(id, { conversationId })
      const waitedBefore = job.waiting
      const settled = () => job.text.hasUnread && job.quietMs >= (job.waiting ? settleMs.waiting : settleMs.running)
      await job.until(() => job.ended || (!waitedBefore && job.waiting) || settled(), waitMs, signal)
      const output = job.text.unread()
      const missing = job.text.missing('unread')
      job.text.markRead()
      return { job: job.info, output, missing }
    },

    async stop(id, only) {
      const job = find(id, only)
      await job.end('stop')
      return job.info
    },

    async openTerminal(size) {
      const environment = terminalEnvironment(source)
      const own = await interactiveShell(environment)
      const command = commandLine(own.file, [])
      return start({
        kind: 'terminal',
        command,
        invocation: await replacing(own, environment),
        cwd: options.workspaceRoot,
        environment,
        ...size,
      }).info
    },

    input: (id, data) => find(id).write(data),
    resize: (id, columns, rows) => find(id).resize(columns, rows),
    backlog: (id) => find(id).readBacklog(),
    list: () => table.all().map((job) => job.info),

    companions: {
      variable: jobVariable,
      async begin() {
        await record?.open().catch(problem)
        return `${instance}.companion-${randomBytes(3).toString('hex')}`
      },
      started: (pid) => void record?.add(pid).catch(problem),
      end: async (root, mark) => void (await endTree({ root, mark }, { signal: 'SIGTERM', graceMs })),
    },

    async forget(id) {
      await find(id).end('stop')
      table.drop(id)
    },

    async dispose() {
      table.close()
      await Promise.all(table.all().map((job) => job.end('shutdown')))
      const [left] = await Promise.all([endTree({ mark: instance }, { signal: 'SIGTERM', graceMs }), orphans])
      if (left.length === 0) await record?.close().catch(problem)
      table.clear()
    },
  }
}
