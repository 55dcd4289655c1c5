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

/** Ended jobs that are remembered; older ones are forgotten, for each may hold some megabytes of output. */
const rememberedJobs = 20
/** New output is handed over once nothing more came for so long; at a prompt later, for there somebody types. */
const settleMs = { running: 150, waiting: 1500 }

export interface CommandRequest {
  /** A line for the shell, or a program with its arguments that runs without one. */
  run: { command: string } | { program: string; args: readonly string[] }
  /** Real absolute path of a folder inside the workspace. */
  cwd: string
  /** The conversation that starts it; undefined for the console and calls without a conversation. Only they reach it by `only`. */
  conversationId?: string
  /** The whole tree is ended after so many milliseconds of running; waiting for input does not count. */
  timeoutMs?: number
  /** Return after so many milliseconds and leave the command running. Default: when it ends or waits for input. */
  waitMs?: number
  /** Sees the job when it starts and whenever its state changes, while the call lasts. */
  onChanged?(job: JobInfo): void
}

export interface CommandOutcome {
  job: JobInfo
  /** Plain text, without escape codes, progress lines in their last state. */
  output: string
  /** What had to be left out of the middle of `output`, for it was too much to keep. */
  missing?: Missing
}

/** Reaches only commands of this conversation; undefined: of the console and calls without a conversation. */
export interface Reach {
  conversationId: string | undefined
}

/** The commands and terminals of one workspace. */
export interface Jobs {
  /**
   * Runs a command until it ends, waits for input, or `waitMs` is over; the output is all there is so far.
   * Aborting ends its whole tree and throws `cancelled`. Throws `command_not_found`, `io_error`.
   */
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandOutcome>
  /**
   * What a command wrote since it was last read: as soon as there is some, it ends or begins to wait for input, or `waitMs`
   * is over. Throws `unknown_job`, for commands of another conversation too.
   */
  readOutput(
    id: string,
    options: { waitMs: number; conversationId?: string; signal?: AbortSignal },
  ): Promise<CommandOutcome>
  /**
   * Ends a job with all it started; resolves when that is done. With `only` the user's terminals and the commands of others
   * are unknown. Throws `unknown_job`.
   */
  stop(id: string, only?: Reach): Promise<JobInfo>
  /** The user's own interactive shell in the workspace's root. */
  openTerminal(size: { columns: number; rows: number }): Promise<JobInfo>
  /** Types into a job. Throws `unknown_job`, `conflict` when it has ended. */
  input(id: string, data: string): void
  resize(id: string, columns: number, rows: number): void
  /** The last 1 MiB a job wrote, escape codes included. */
  backlog(id: string): string
  list(): JobInfo[]
  /** For other processes that run as long as the folder is open: recorded and ended as those of the commands are. */
  companions: Companions
  /** Takes an ended job off the list; ends it first when it runs. */
  forget(id: string): Promise<void>
  /** Ends every job and every process that one of its commands left behind. */
  dispose(): Promise<void>
}

export interface Companions {
  /** The variable that carries the mark. */
  variable: string
  /** Before a process is started. @returns its mark */
  begin(): Promise<string>
  started(pid: number): void
  /** Resolves when nothing of it is left that may be ended. */
  end(root: number, mark: string): Promise<void>
}

export interface JobsOptions {
  /** Real path. */
  workspaceRoot: string
  onChanged(job: JobInfo): void
  /** Raw output in batches. */
  onOutput(id: string, data: string): void
  onForgotten?(id: string): void
  /** Between TERM and KILL. Default 2 s. */
  graceMs?: number
  /** Folder for the record of what runs, with which the next start ends what a killed process left behind. Default: none is kept. */
  records?: string
  /** Something about the record failed; commands run all the same. */
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
  /** Begins every mark, so that what commands left behind is found at the end. */
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
      known.length > 0 ? `Jobs there are: ${known.join(', ')}.` : 'No command is known: start one with run_command.'
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
    // Random, for a stored conversation names its jobs after a restart as well.
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
    for (const job of ended.slice(0, Math.max(0, ended.length - rememberedJobs))) drop(job.info.id)
  }

  function drop(id: string): void {
    if (jobs.delete(id)) options.onForgotten?.(id)
  }

  return {
    async run(request, signal) {
      signal.throwIfAborted()
      assertOpen()
      // No pager would ever end, and a prompt for a password should be visible as one.
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
        throw new ToolError(
          'cancelled',
          `The command was cancelled and ended with everything it had started: ${command}`,
          '',
        )
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
