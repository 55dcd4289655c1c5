import type { UtilityProcess } from 'electron'
import { childEnvironment } from '../../base/childEnvironment.ts'
import { errorCode } from '../../base/errorCode.ts'
import type { ForkProcess } from '../../platform.ts'
import { log, logOutput } from '../../base/log/log.ts'

/** What is used of Electron's `utilityProcess`. */
export interface UtilityProcesses {
  fork(
    module: string,
    args: string[],
    options: Electron.ForkOptions,
  ): Pick<UtilityProcess, 'pid' | 'stdout' | 'stderr' | 'postMessage' | 'kill' | 'on' | 'once'>
}

/**
 * Starts processes as Electron's utility processes: its binary does not run as Node here (the fuse `runAsNode` is off), so node:child_process
 * cannot. Chromium ends them with the application.
 */
export function forkUtility(utilityProcess: UtilityProcesses): ForkProcess {
  return (module, { name, args, execArgv }, { onMessage, onExit }) => {
    let child: ReturnType<UtilityProcesses['fork']>
    try {
      child = utilityProcess.fork(module, [...args], {
        serviceName: name,
        execArgv: [...execArgv],
        env: childEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    } catch (error) {
      queueMicrotask(() => onExit(error instanceof Error ? error.message : String(error)))
      return { pid: undefined, post: () => undefined, kill: () => undefined }
    }
    logOutput(name, child.stdout)
    logOutput(name, child.stderr)
    let ended = false
    child.on('message', onMessage)
    // V8 gave up, e.g. without memory; `exit` follows. Without a listener the event would be an error of this process.
    child.on('error', (type, location) => log.error(`${name} crashed: ${type} at ${location}`))
    child.once('exit', (code) => {
      ended = true
      onExit(`exit code ${code}`)
    })
    return {
      get pid() {
        return child.pid
      },
      post: (message) => {
        if (!ended) child.postMessage(message)
      },
      kill: () => {
        if (ended) return
        // `kill` sends SIGTERM, which a process that is busy in a parser may not see.
        if (process.platform === 'win32' || child.pid === undefined) child.kill()
        else killAtOnce(child.pid)
      },
    }
  }
}

function killAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has ended by itself, and its `exit` is on the way.
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
