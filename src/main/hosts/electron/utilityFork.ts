import type { UtilityProcess } from 'electron'
import { childEnvironment } from '../../base/childProcess.ts'
import { errorCode } from '../../base/fileErrors.ts'
import type { ForkProcess } from '../../appServices/platform.ts'
import { log, logOutput } from '../../base/log/log.ts'

/** The subset of Electron's `utilityProcess` that `forkUtility` uses. */
export interface UtilityProcesses {
  fork(
    module: string,
    args: string[],
    options: Electron.ForkOptions,
  ): Pick<UtilityProcess, 'pid' | 'stdout' | 'stderr' | 'postMessage' | 'kill' | 'on' | 'once'>
}

/**
 * Starts child processes as Electron utility processes, which Chromium ends with the application. `child_process.fork`
 * does not work, because Electron's binary does not run as Node (the fuse `runAsNode` is off).
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
    // A fatal V8 error, such as out of memory. `exit` follows. Without a listener, the event would throw.
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
        // `child.kill` sends SIGTERM, which a process cannot handle while it is busy in a parser.
        if (process.platform === 'win32' || child.pid === undefined) child.kill()
        else killImmediately(child.pid)
      },
    }
  }
}

function killImmediately(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // The process has already exited.
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
