import { once } from 'node:events'
import { findProgramByName } from '../base/programSearch.ts'
import { startFailure, startProcess } from '../base/startProcess.ts'
import type { StartPipedProgram } from './commandTypes.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import type { Jobs, ProcessTracking } from './jobTypes.ts'
import type { Sandbox } from './sandbox/sandboxTypes.ts'
import { programInvocation, commandLine } from './shellProgram.ts'

export interface PipedProgramDeps {
  plan: Jobs['plan']
  processes: ProcessTracking
  /** Environment of this process. */
  source: NodeJS.ProcessEnv
  sandbox?: Sandbox
  passedVariables?(): readonly string[]
}

/** Returns a function that starts a program like a command, in the sandbox, but with pipes instead of a terminal. */
export function createPipedPrograms(deps: PipedProgramDeps): StartPipedProgram {
  const { plan, processes, source, sandbox, passedVariables } = deps
  return async ({ program, args, cwd, access, env = {}, folders }, signal) => {
    signal.throwIfAborted()
    const environment = { ...commandEnvironment(source, passedVariables?.()), ...env }
    const how = await plan(commandLine(program, args), access)
    const file = /[\\/]/.test(program) ? program : findProgramByName(program, environment['PATH'] ?? '')
    if (file === undefined) throw startFailure(program, new Error('no folder in PATH contains it'), cwd)
    const plain = await programInvocation({ file, args: [...args] }, environment)
    const entered =
      how.sandboxed && sandbox !== undefined
        ? await sandbox.enter({
            invocation: plain,
            environment,
            cwd,
            network: how.network,
            ...(folders && { folders }),
          })
        : undefined
    const release = async (): Promise<void> => void (await entered?.release())
    try {
      const invocation = entered?.invocation ?? plain
      const tag = await processes.begin()
      const child = startProcess(invocation.file, invocation.args, {
        cwd,
        env: { ...(entered?.environment ?? environment), [processes.variable]: tag },
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      try {
        await once(child, 'spawn', { signal })
      } catch (error) {
        throw startFailure(program, error, cwd)
      }
      const { pid } = child
      if (pid === undefined) throw startFailure(program, new Error('it has no process id'))
      processes.started(pid)
      return { child, sandbox: how, end: () => processes.end(pid, tag), release }
    } catch (error) {
      await release()
      throw error
    }
  }
}
