import { commandEnvironment } from './commandEnvironment.ts'
import { startCommandJob, type CommandJobDeps } from './commandJob.ts'
import type { StartTerminalProgram } from './commandTypes.ts'
import { findProgram, programInvocation } from './shellProgram.ts'

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
