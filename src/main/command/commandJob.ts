import type { Job } from './job.ts'
import type { JobStart, JobTable } from './jobTable.ts'
import type { Jobs } from './jobTypes.ts'
import type { EnterRequest, Sandbox } from './sandbox/sandboxTypes.ts'

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
export async function startCommandJob(
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
