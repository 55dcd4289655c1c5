import { findProgram, programInvocation } from './shellProgram.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import type { StartTerminalProgram } from './commandTypes.ts'
import type { JobTable } from './jobTable.ts'
import type { Jobs } from './jobTypes.ts'
import type { Sandbox } from './sandbox/sandboxTypes.ts'

export interface TerminalProgramDeps {
  table: JobTable
  plan: Jobs['plan']
  source: NodeJS.ProcessEnv
  sandbox?: Sandbox
  passedVariables?(): readonly string[]
  /** Records that a program is about to start. */
  beforeStart(): Promise<unknown>
  started(pid: number): void
}

/** Implements `Jobs.startInTerminal`. */
export function createTerminalPrograms(deps: TerminalProgramDeps): StartTerminalProgram {
  const { table, plan, source, sandbox } = deps
  return async ({ title, program, args, cwd, env = {}, folders, readable }, signal) => {
    signal.throwIfAborted()
    table.assertOpen()
    const environment = { ...commandEnvironment(source, deps.passedVariables?.()), ...env }
    const planned = await plan(title, 'sandbox')
    const how = planned.sandboxed ? { ...planned, network: false } : planned
    const file = await findProgram(program, cwd, environment)
    const plain = await programInvocation({ file, args: [...args] }, environment)
    await deps.beforeStart()
    const entered = how.sandboxed
      ? await sandbox?.enter({
          invocation: plain,
          environment,
          cwd,
          network: false,
          ...(folders && { folders }),
          ...(readable && { readable }),
        })
      : undefined
    try {
      signal.throwIfAborted()
      const job = table.start({
        kind: 'command',
        command: title,
        invocation: entered?.invocation ?? plain,
        cwd,
        environment: entered?.environment ?? environment,
        columns: 120,
        rows: 30,
        sandbox: how,
        release: entered?.release,
      })
      deps.started(job.pid)
      return { id: job.info.id, ended: job.until(() => job.ended, Infinity), end: () => job.end('stop') }
    } catch (error) {
      await entered?.release()
      throw error
    }
  }
}
