import { isAbort, ToolError } from '../../shared/errors.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import type { CommandOutcome, CommandRequest } from './commandTypes.ts'
import type { Job } from './job.ts'
import type { JobTable } from './jobTable.ts'
import type { Jobs } from './jobTypes.ts'
import type { SandboxedInvocation, Sandbox } from './sandbox/sandboxTypes.ts'
import { commandLine, findProgram, programInvocation, shellInvocation, type Invocation } from './shellProgram.ts'

interface CommandRunnerDeps {
  table: JobTable
  plan: Jobs['plan']
  /** Environment of this process. */
  source: NodeJS.ProcessEnv
  sandbox?: Sandbox
  passedVariables?(): readonly string[]
  /** Records that a command is about to start. */
  beforeStart(): Promise<unknown>
  started(pid: number): void
}

/** Returns `Jobs.run`. */
export function createCommandRunner(deps: CommandRunnerDeps): Jobs['run'] {
  const { table, plan, source, sandbox } = deps

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
    const plain = await invocationOf(request, environment)
    await deps.beforeStart()
    signal.throwIfAborted()
    const entered: SandboxedInvocation | undefined =
      how.sandboxed && sandbox !== undefined
        ? await sandbox.enter({ invocation: plain, environment, cwd, network: how.network, secrets: how.secrets })
        : undefined
    const invocation = entered?.invocation ?? plain
    let attached = true
    let job: Job
    try {
      signal.throwIfAborted()
      job = table.start({
        kind: 'command',
        conversationId: request.conversationId,
        command,
        invocation,
        cwd,
        environment: entered?.environment ?? environment,
        columns: 120,
        rows: 30,
        sandbox: how,
        release: entered?.release,
        onChanged(info) {
          if (attached) request.onChanged?.(info)
        },
      })
    } catch (error) {
      await entered?.release()
      throw error
    }
    deps.started(job.pid)
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
