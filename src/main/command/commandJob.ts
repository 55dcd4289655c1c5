import { isAbort, ToolError } from '../../shared/errors.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import type { CommandOutcome, CommandRequest, StartTerminalProgram } from './commandTypes.ts'
import type { Job } from './job.ts'
import type { JobStart, JobTable } from './jobTable.ts'
import type { Jobs } from './jobTypes.ts'
import type { EnterRequest, Sandbox } from './sandbox/sandboxTypes.ts'
import { commandLine, findProgram, programInvocation, shellInvocation, type Invocation } from './shellProgram.ts'

export interface CommandJobDeps {
  table: JobTable
  plan: Jobs['plan']
  source: NodeJS.ProcessEnv
  sandbox?: Sandbox
  passedVariables?(): readonly string[]
  /** Records that a program is about to start. */
  beforeStart(): Promise<unknown>
  started(pid: number): void
}

/** A command outside the sandbox, and what it needs inside. */
interface CommandStart
  extends
    Pick<JobStart, 'command' | 'conversationId' | 'invocation' | 'environment' | 'cwd' | 'onChanged'>,
    Pick<EnterRequest, 'folders' | 'readable'> {
  sandbox: NonNullable<JobStart['sandbox']>
}

/** Starts a command in a terminal, in the sandbox if its plan says so. */
async function startCommandJob(
  { table, sandbox, beforeStart, started }: CommandJobDeps,
  { folders, readable, ...start }: CommandStart,
  signal: AbortSignal,
): Promise<Job> {
  const { invocation, environment, cwd, sandbox: how } = start
  await beforeStart()
  signal.throwIfAborted()
  const entered = how.sandboxed
    ? await sandbox?.enter({
        invocation,
        environment,
        cwd,
        network: how.network,
        secrets: how.secrets,
        ...(folders && { folders }),
        ...(readable && { readable }),
      })
    : undefined
  try {
    signal.throwIfAborted()
    const job = table.start({
      ...start,
      kind: 'command',
      invocation: entered?.invocation ?? invocation,
      environment: entered?.environment ?? environment,
      columns: 120,
      rows: 30,
      release: entered?.release,
    })
    started(job.pid)
    return job
  } catch (error) {
    await entered?.release()
    throw error
  }
}

/** Implements `Jobs.run`. */
export function createCommandRunner(deps: CommandJobDeps): Jobs['run'] {
  const { table, plan, source } = deps

  return async (request, signal) => {
    signal.throwIfAborted()
    table.assertOpen()
    // A pager would not exit, and a password prompt should be visible as such.
    const environment = {
      ...commandEnvironment(source, deps.passedVariables?.()),
      PAGER: 'cat',
      GIT_PAGER: 'cat',
    }
    const { run, cwd } = request
    const command = 'command' in run ? run.command : commandLine(run.program, run.args)
    const how = request.sandbox ?? (await plan(command, 'sandbox'))
    const invocation = await invocationOf(request, environment)
    let attached = true
    const job = await startCommandJob(
      deps,
      {
        conversationId: request.conversationId,
        command,
        invocation,
        environment,
        cwd,
        sandbox: how,
        onChanged(info) {
          if (attached) request.onChanged?.(info)
        },
      },
      signal,
    )
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
    return outcomeOf(job)
  }
}

async function invocationOf({ run, cwd }: CommandRequest, environment: Record<string, string>): Promise<Invocation> {
  if ('command' in run) return shellInvocation(run.command, environment)
  return programInvocation({ file: await findProgram(run.program, cwd, environment), args: [...run.args] }, environment)
}

function outcomeOf(job: Job): CommandOutcome {
  const output = job.text.all()
  const missing = job.text.missing('all')
  job.text.markRead()
  return { job: job.info, output, missing }
}

/** Implements `Jobs.startInTerminal`. */
export function createTerminalPrograms(deps: CommandJobDeps): StartTerminalProgram {
  const { table, plan, source } = deps
  return async ({ title, program, args, cwd, env = {}, folders, readable }, signal) => {
    signal.throwIfAborted()
    table.assertOpen()
    const environment = { ...commandEnvironment(source, deps.passedVariables?.()), ...env }
    const planned = await plan(title, 'sandbox')
    const sandbox = planned.sandboxed ? { ...planned, network: false } : planned
    const file = await findProgram(program, cwd, environment)
    const invocation = await programInvocation({ file, args: [...args] }, environment)
    const start = { command: title, invocation, environment, cwd, sandbox, folders, readable }
    const job = await startCommandJob(deps, start, signal)
    return { id: job.info.id, ended: job.until(() => job.ended, Infinity), end: () => job.end('stop') }
  }
}
