import { once } from 'node:events'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { unsandboxedReason } from '../../shared/commands/sandbox.ts'
import { findProgramByName } from '../base/programSearch.ts'
import { startFailure, startProcess, type StartedBy } from '../base/startProcess.ts'
import type { PipedProgram, StartConfinedProgram, StartPipedProgram } from './commandTypes.ts'
import { commandEnvironment } from './commandEnvironment.ts'
import type { Jobs, ProcessTracking } from './jobTypes.ts'
import type { EnterRequest, Sandbox } from './sandbox/sandboxTypes.ts'
import { programInvocation, commandLine } from './shellProgram.ts'

export interface PipedProgramDeps {
  plan: Jobs['plan']
  processes: ProcessTracking
  source: NodeJS.ProcessEnv
  sandbox?: Sandbox
  passedVariables?(): readonly string[]
}

interface PipedPrograms {
  startProgram: StartPipedProgram
  startConfined: StartConfinedProgram
  unconfinedReason(): Promise<string | undefined>
}

/** Creates functions that start a program with pipes instead of a terminal. */
export function createPipedPrograms({
  plan,
  processes,
  source,
  sandbox,
  passedVariables,
}: PipedProgramDeps): PipedPrograms {
  async function start(
    program: string,
    request: EnterRequest,
    startedBy: StartedBy,
    signal: AbortSignal,
  ): Promise<Omit<PipedProgram, 'sandbox'>> {
    signal.throwIfAborted()
    const entered = startedBy === 'sandbox' ? await sandbox?.enter(request) : undefined
    const release = async (): Promise<void> => void (await entered?.release())
    try {
      const invocation = entered?.invocation ?? request.invocation
      const tag = await processes.begin()
      signal.throwIfAborted()
      const child = startProcess(invocation.file, invocation.args, {
        startedBy,
        cwd: request.cwd,
        env: { ...(entered?.environment ?? request.environment), [processes.variable]: tag },
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      try {
        await once(child, 'spawn')
      } catch (error) {
        throw startFailure(program, error, request.cwd)
      }
      const { pid } = child
      if (pid === undefined) throw startFailure(program, new Error('It has no process id.'))
      processes.started(pid)
      if (signal.aborted) await processes.end(pid, tag)
      signal.throwIfAborted()
      return { child, end: () => processes.end(pid, tag), release }
    } catch (error) {
      await release()
      throw error
    }
  }

  async function unconfinedReason(): Promise<string | undefined> {
    if (sandbox === undefined) return 'this host has no sandbox'
    if (sandbox.state().kind !== 'off') await sandbox.check()
    return unsandboxedReason(sandbox.state())
  }

  return {
    unconfinedReason,
    async startProgram({ program, args, cwd, access, env = {}, folders, readable }, signal) {
      const environment = { ...commandEnvironment(source, passedVariables?.()), ...env }
      const how = await plan(commandLine(program, args), access)
      const file = /[\\/]/.test(program) ? program : findProgramByName(program, environment['PATH'] ?? '')
      if (file === undefined) throw startFailure(program, new Error('No folder in PATH contains it.'), cwd)
      const invocation = await programInvocation({ file, args: [...args] }, environment)
      const request = {
        invocation,
        environment,
        cwd,
        network: how.sandboxed && how.network,
        ...(folders && { folders }),
        ...(readable && { readable }),
      }
      return { ...(await start(program, request, how.sandboxed ? 'sandbox' : 'user', signal)), sandbox: how }
    },
    async startConfined(wanted, signal) {
      const { program, args, cwd, confinement, writes = false, env = {}, readable = [], folders = [] } = wanted
      const reason = confinement === 'none' ? undefined : await unconfinedReason()
      const sandboxed = confinement !== 'none' && reason === undefined
      if (reason !== undefined && confinement === 'required')
        throw new ToolError(
          'refused',
          `${path.basename(program)} only runs in the sandbox, which is not available: ${reason}.`,
          'Settings, under Commands, explains how to enable it.',
        )
      const environment = { ...commandEnvironment(source), ...env }
      const own = { file: program, args: [...args] }
      const invocation = sandboxed ? await programInvocation(own, environment) : own
      const request = { invocation, environment, cwd, network: false, readOnly: !writes, readable, folders }
      const outside = confinement === 'none' ? 'user' : 'tizona'
      return { ...(await start(program, request, sandboxed ? 'sandbox' : outside, signal)), sandboxed }
    },
  }
}
