import { randomBytes } from 'node:crypto'
import { relative, sep } from 'node:path'
import { isAbort, ToolError } from '../../shared/errors.ts'
import type { JobInfo } from '../../shared/tool.ts'
import type { Missing } from './truncatedOutput.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import { Job } from './job.ts'
import { createJobRecord, endOrphans } from './jobRecord.ts'
import { endTree, jobVariable } from './processTree.ts'
import {
  attended,
  commandLine,
  findProgram,
  interactiveShell,
  replacing,
  shellInvocation,
  type Invocation,
} from './shellProgram.ts'

/** Maximum number of ended jobs kept. Each may have megabytes of output. */
const maxEndedJobs = 20
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
}

interface Start {
  kind: JobInfo['kind']
  conversationId?: string
  command: string
  invocation: Invocation
  cwd: string
  environment: Record<string, string>
  columns: number
  rows: number
  onChanged?: (job: JobInfo) => void
}

export function createJobs(options: JobsOptions): Jobs {
  const jobs = new Map<string, Job>()
  const graceMs = options.graceMs ?? 2000
  const source = options.environment ?? process.env
  /** Prefix of every mark, to find processes left by commands. */
  const instance = randomBytes(8).toString('hex')
  let disposed = false
  const record = options.records === undefined ? undefined : createJobRecord(options.records, instance)
  const problem = (error: unknown): void => options.onProblem?.(error)
  const orphans =
    options.records === undefined ? Promise.resolve(0) : endOrphans(options.records, graceMs).catch(problem)

  function find(id: string, only?: Reach): Job {
    const reached = (job: Job) =>
      only === undefined || (job.info.kind === 'command' && job.conversationId === only.conversationId)
    const job = jobs.get(id)
    if (job !== undefined && reached(job)) return job
    const commands = [...jobs.values()].filter((each) => each.info.kind === 'command' && reached(each))
    const known = commands.map(({ info }) => `${info.id} (${info.state})`)
    const next =
      known.length > 0 ? `Known jobs: ${known.join(', ')}.` : 'There are no jobs. Start one with run_command.'
    throw new ToolError('unknown_job', `There is no job \`${id}\`.`, next)
  }

  function assertOpen(): void {
    if (disposed) throw new ToolError('cancelled', 'The workspace is being closed.', '')
  }

  function start({
    kind,
    conversationId,
    command,
    invocation,
    cwd,
    environment,
    columns,
    rows,
    onChanged,
  }: Start): Job {
    assertOpen()
    // Random, because stored conversations refer to their jobs after a restart too.
    const id = `job-${randomBytes(3).toString('hex')}`
    const mark = kind === 'command' ? `${instance}.${id}` : undefined
    const job = new Job({
      id,
      kind,
      conversationId,
      command,
      invocation,
      mark,
      graceMs,
      cwd: { absolute: cwd, relative: relative(options.workspaceRoot, cwd).split(sep).join('/') || '.' },
      environment: mark === undefined ? environment : { ...environment, [jobVariable]: mark },
      columns,
      rows,
      onOutput: (from, data) => options.onOutput(from, data),
      onChanged(info) {
        onChanged?.(info)
        options.onChanged(info)
        if (info.endedAt !== undefined) prune()
      },
    })
    jobs.set(id, job)
    onChanged?.(job.info)
    options.onChanged(job.info)
    return job
  }

  function prune(): void {
    const ended = [...jobs.values()].filter((job) => job.ended)
    for (const job of ended.slice(0, Math.max(0, ended.length - maxEndedJobs))) drop(job.info.id)
  }

  function drop(id: string): void {
    if (jobs.delete(id)) options.onForgotten?.(id)
  }

  return {
    async run(request, signal) {
      signal.throwIfAborted()
      assertOpen()
      // A pager would not exit, and a password prompt should be visible as such.
      const environment = commandEnvironment(source, { PAGER: 'cat', GIT_PAGER: 'cat' })
      const { run } = request
      const command = 'command' in run ? run.command : commandLine(run.program, run.args)
      const invocation =
        'command' in run
          ? await shellInvocation(run.command, environment)
          : await attended(
              { file: await findProgram(run.program, request.cwd, environment), args: [...run.args] },
              environment,
            )
      await record?.open().catch(problem)
      signal.throwIfAborted()
      let attached = true
      const job = start({
        kind: 'command',
        conversationId: request.conversationId,
        command,
        invocation,
        cwd: request.cwd,
        environment,
        columns: 120,
        rows: 30,
        onChanged(info) {
          if (attached) request.onChanged?.(info)
        },
      })
      record?.add(job.pid).catch(problem)
      if (request.timeoutMs !== undefined) job.limit(request.timeoutMs)
      try {
        await job.until(() => job.ended || job.waiting, request.waitMs ?? Infinity, signal)
      } catch (error) {
        await job.end('cancel')
        if (!signal.aborted && !isAbort(error)) throw error
        throw new ToolError('cancelled', `The command was cancelled and all its processes were ended: ${command}`, '')
      } finally {
        attached = false
      }
      const output = job.text.all()
      const missing = job.text.missing('all')
      job.text.markRead()
      return { job: job.info, output, missing }
    },

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
      const environment = commandEnvironment(source)
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
    list: () => [...jobs.values()].map((job) => job.info),

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
      drop(id)
    },

    async dispose() {
      disposed = true
      await Promise.all([...jobs.values()].map((job) => job.end('shutdown')))
      const [left] = await Promise.all([endTree({ mark: instance }, { signal: 'SIGTERM', graceMs }), orphans])
      if (left.length === 0) await record?.close().catch(problem)
      jobs.clear()
    },
  }
}
