import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { childEnvironment } from '../../base/childEnvironment.ts'
import { logOutput } from '../../base/log/log.ts'

/** A process of the application's own, with a channel for messages that are copied by structured clone. */
export interface ChildProcess {
  /** Undefined for one that is no process or has not started. */
  readonly pid: number | undefined
  /** Messages to a process that has ended are dropped: `onExit` has said so. */
  post(message: unknown): void
  /** Ends it at once, whatever it does. */
  kill(): void
}

export interface ChildEvents {
  onMessage(message: unknown): void
  /** Once, also for a process that could not be started. `how`: "exit code 1", "signal SIGSEGV", or why it did not start. */
  onExit(how: string): void
}

export interface ForkOptions {
  /** For lists of processes. */
  name: string
  /** `process.argv` from index 2. */
  args: readonly string[]
  /** Options of Node and V8. */
  execArgv: readonly string[]
}

/** Starts a module as a child process. Never throws: what prevents the start is an exit. The process ends with its parent. */
export type ForkProcess = (module: string, options: ForkOptions, events: ChildEvents) => ChildProcess

/** Starts a process under Node. Its output goes to the log. */
export const forkNode: ForkProcess = (module, { name, args, execArgv }, { onMessage, onExit }) => {
  let child: ReturnType<typeof fork>
  try {
    child = fork(module, args, {
      execArgv: [...execArgv],
      env: childEnvironment(),
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
  } catch (error) {
    return exitWithoutStart(error, onExit)
  }
  logOutput(name, child.stdout)
  logOutput(name, child.stderr)
  let ended = false
  const end = (how: string): void => {
    if (ended) return
    ended = true
    onExit(how)
  }
  child.on('message', onMessage)
  // Also emitted when a message cannot be sent; then the process is ending and `exit` follows.
  child.on('error', (error) => {
    if (child.pid === undefined) end(error.message)
  })
  child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`))
  return {
    pid: child.pid,
    post: (message) => {
      // The types of node:child_process name what JSON can hold; `advanced` copies by structured clone.
      if (child.connected) child.send(message as object, () => undefined)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * In a thread of this process, where no process can be started: a command line in Electron's main process has no utility processes before
 * a display is there, and its binary does not run as Node. A native crash ends the whole process then.
 */
export const forkThread: ForkProcess = (module, { args }, { onMessage, onExit }) => {
  let worker: Worker
  try {
    worker = new Worker(module, { argv: [...args] })
  } catch (error) {
    return exitWithoutStart(error, onExit)
  }
  let problem: string | undefined
  const ending = new BroadcastChannel(threadEndChannel(worker.threadId))
  ending.onmessage = () => void worker.terminate()
  worker.on('message', onMessage)
  worker.on('error', (error) => {
    problem = error instanceof Error ? error.message : String(error)
  })
  worker.once('exit', (code) => {
    ending.close()
    onExit(problem ?? `exit code ${code}`)
  })
  return { pid: undefined, post: (message) => worker.postMessage(message), kill: () => void worker.terminate() }
}

/** Name of the channel on which another thread can ask for the end of one that does not come back. */
export function threadEndChannel(threadId: number): string {
  return `tizona-end-thread-${threadId}`
}

function exitWithoutStart(error: unknown, onExit: ChildEvents['onExit']): ChildProcess {
  // Later, as any exit: the caller does not hold the process yet.
  queueMicrotask(() => onExit(error instanceof Error ? error.message : String(error)))
  return { pid: undefined, post: () => undefined, kill: () => undefined }
}

/** How this process starts others unless its host has a way of its own. */
export const defaultFork: ForkProcess = process.versions['electron'] === undefined ? forkNode : forkThread
