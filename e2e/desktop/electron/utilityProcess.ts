import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { copied } from './copied.ts'
import { guarded } from './guarded.ts'
import { needsReady } from './host.ts'
import { appEvents } from './lifecycle.ts'

interface ForkOptions {
  env?: NodeJS.ProcessEnv
  execArgv?: string[]
  cwd?: string
  stdio?: string | string[]
  serviceName?: string
  allowLoadingUnsignedLibraries?: boolean
  respondToAuthRequestsFromMainProcess?: boolean
}

const known = [
  'env',
  'execArgv',
  'cwd',
  'stdio',
  'serviceName',
  'allowLoadingUnsignedLibraries',
  'respondToAuthRequestsFromMainProcess',
]

/** A Node process of the application with `process.parentPort` (utilityMain.ts). */
export class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess
  readonly #name: string
  #running = false

  constructor(modulePath: string, args: string[], options: ForkOptions) {
    super()
    const { env = process.env, execArgv = [], cwd, stdio = 'inherit', serviceName = 'Node Utility Process' } = options
    const unknown = Object.keys(options).filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new Error(`Unknown options of utilityProcess.fork: ${unknown.join(', ')}`)
    this.#name = serviceName
    this.#child = fork(join(import.meta.dirname, 'utilityMain.ts'), [modulePath, ...args], {
      env,
      execArgv,
      cwd,
      stdio: [...outputs(stdio), 'ipc'],
      serialization: 'advanced',
    })
    this.#child.once('spawn', () => {
      this.#running = true
      this.emit('spawn')
    })
    this.#child.on('message', (message) => this.emit('message', message))
    this.#child.once('error', (error) =>
      console.error(`The utility process ${serviceName} could not be started:`, error),
    )
    this.#child.once('exit', (code, signal) => {
      this.#running = false
      const exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : signal === 'SIGTERM' ? 15 : 11)
      const reason =
        exitCode === 0
          ? 'clean-exit'
          : signal === null
            ? 'abnormal-exit'
            : signal === 'SIGTERM' || signal === 'SIGKILL'
              ? 'killed'
              : 'crashed'
      this.emit('exit', exitCode)
      appEvents.emit(
        'child-process-gone',
        {},
        { type: 'Utility', reason, exitCode, serviceName: this.#name, name: this.#name },
      )
    })
  }

  /** Undefined before the process runs and after its end. */
  get pid(): number | undefined {
    return this.#running ? this.#child.pid : undefined
  }
  get stdout(): Readable | null {
    return this.#child.stdout
  }
  get stderr(): Readable | null {
    return this.#child.stderr
  }
  postMessage(message: unknown, transfer: unknown[] = []): void {
    if (transfer.length > 0)
      throw new Error('The desktop harness does not model ports between processes: see e2e/desktop/README.md.')
    // Messages to an ended process are dropped silently.
    if (this.#child.connected) this.#child.send(copied(message))
  }
  kill(): boolean {
    return this.#child.kill('SIGTERM')
  }
}

function outputs(stdio: string | string[]): ('ignore' | 'pipe' | 'inherit')[] {
  const [input = 'ignore', output, error] = typeof stdio === 'string' ? ['ignore', stdio, stdio] : stdio
  if (input !== 'ignore') throw new Error('stdin value other than ignore is not supported.')
  return ['ignore', mode(output), mode(error)]
}

function mode(value: string | undefined): 'ignore' | 'pipe' | 'inherit' {
  if (value === 'ignore' || value === 'pipe' || value === 'inherit') return value
  throw new Error(`configuring stdio with ${String(value)} is not supported`)
}

export const utilityProcess = guarded('utilityProcess', {
  fork(modulePath: string, args?: string[] | ForkOptions, options?: ForkOptions): UtilityProcess {
    if (!modulePath) throw new Error('Missing UtilityProcess entry script.')
    needsReady('utilityProcess cannot be created before app is ready.')
    const list = Array.isArray(args) ? args : []
    return new UtilityProcess(modulePath, list, options ?? (Array.isArray(args) ? {} : (args ?? {})))
  },
})
