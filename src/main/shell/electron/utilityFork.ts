import type { UtilityProcess } from 'electron'
import type { ForkProcess } from '../../platform.ts'

/** What is used of Electron's `utilityProcess`. */
export interface UtilityProcesses {
  fork(module: string, args: string[], options: Electron.ForkOptions): Pick<UtilityProcess, 'pid' | 'postMessage' | 'kill' | 'on' | 'once'>
}

/**
 * Starts processes as Electron's utility processes: its binary does not run as Node here (the fuse `runAsNode` is off), so node:child_process
 * cannot. Chromium ends them with the application.
 */
export function forkUtility(utilityProcess: UtilityProcesses): ForkProcess {
  return (module, { name, args, execArgv }, { onMessage, onExit }) => {
    let child: ReturnType<UtilityProcesses['fork']>
    try {
      child = utilityProcess.fork(module, [...args], { serviceName: name, execArgv: [...execArgv], stdio: ['ignore', 'inherit', 'inherit'] })
    } catch (error) {
      queueMicrotask(() => onExit(error instanceof Error ? error.message : String(error)))
      return { pid: undefined, post: () => undefined, kill: () => undefined }
    }
    let ended = false
    child.on('message', onMessage)
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
        if (process.platform !== 'win32' && child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
        else child.kill()
      },
    }
  }
}
