import { Worker } from 'node:worker_threads'
import { logOutput } from './log/log.ts'
import { forkModule } from './startProcess.ts'

/** A child process or thread of Tizona. Messages are copied by structured clone. */
export interface ChildProcess {
  /** Undefined for a thread, or if the process could not be started. */
  readonly pid: number | undefined
  /** Sends a message, or drops it if the process has exited. */
  post(message: unknown): void
  /** Kills the process immediately. */
  kill(): void
}

export interface ChildEvents {
  onMessage(message: unknown): void
  /**
   * Called once, when the process has exited or could not be started. `reason`: "exit code 1", "signal SIGSEGV" or
   * the error.
   */
  onExit(reason: string): void
}

export interface ForkOptions {
  /** Shown in process lists. */
  name: string
  /** `process.argv` from index 2. */
  args: readonly string[]
  /** Options of Node and V8. */
  execArgv: readonly string[]
}

/**
 * Starts a module as a child process that ends with its parent. Never throws: a failed start is reported to `onExit`.
 */
export type ForkProcess = (module: string, options: ForkOptions, events: ChildEvents) => ChildProcess

/** Starts a Node process that inherits no pseudo-terminals. Writes its output to the log. */
export const forkNode: ForkProcess = (module, { name, args, execArgv }, { onMessage, onExit }) => {
  let child: ReturnType<typeof forkModule>
  try {
    child = forkModule(module, args, {
      execArgv,
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
  const end = (reason: string): void => {
    if (ended) return
    ended = true
    onExit(reason)
  }
  child.on('message', onMessage)
  // Also emitted if a message cannot be sent. The process is then exiting, and `exit` follows.
  child.on('error', (error) => {
    if (child.pid === undefined) end(error.message)
  })
  child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`))
  return {
    pid: child.pid,
    post: (message) => {
      // The types of node:child_process only allow JSON values; `advanced` serialization copies by structured clone.
      if (child.connected) child.send(message as object, () => undefined)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * Starts a thread where a process is impossible: in Electron's main process, utility processes need a display, and
 * the Electron binary does not run as Node. A native crash in the thread ends the whole process.
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

/** Returns the channel on which the watchdog requests the end of a hung thread. */
export function threadEndChannel(threadId: number): string {
  return `tizona-end-thread-${threadId}`
}

function exitWithoutStart(error: unknown, onExit: ChildEvents['onExit']): ChildProcess {
  // Deferred, because the caller does not have the process yet.
  queueMicrotask(() => onExit(error instanceof Error ? error.message : String(error)))
  return { pid: undefined, post: () => undefined, kill: () => undefined }
}

/** Used by hosts that do not provide a `ForkProcess` of their own. */
export const defaultFork: ForkProcess = process.versions['electron'] === undefined ? forkNode : forkThread

/** Variables withheld from child processes, because they read untrusted files. */
const withheld: ReadonlySet<string> = new Set(['NODE_OPTIONS', 'TIZONA_API_KEY'])

/** Returns the environment for Tizona's own child processes. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || withheld.has(name) ? [] : [[name, value]],
    ),
  )
}
