import { constants } from 'node:os'
import type { IPty } from 'node-pty'
import { asSentence } from '../base/asSentence.ts'
import { ToolError } from '../../shared/errors.ts'
import { startInTerminal } from '../base/startProcess.ts'
import type { CommandSandbox, ProtectedChanges, SandboxDenial } from '../../shared/commands/sandbox.ts'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import { descendants, foregroundActivity, minQuietMs, waitsForInput } from './inputDetection.ts'
import { createOutputBatches, type OutputBatches } from './outputBatches.ts'
import { createPlainText, type PlainText } from './plainText.ts'
import { endTree } from './processTree.ts'
import { listeningPorts } from './sandbox/sandboxDenial.ts'
import type { Invocation } from './shellProgram.ts'
import { readToEnd } from './terminalDrain.ts'

/** Maximum UTF-16 units of raw output kept for the panel, and of text kept for the model. */
const backlogLimit = 1024 * 1024
const textLimit = 5 * 1024 * 1024
/** Milliseconds between checks of a silent program. Grows while nothing changes. */
const lookMs = { first: 300, longest: 2000 }

export interface JobOptions {
  id: string
  kind: JobInfo['kind']
  /** Command line for display. */
  command: string
  /** Conversation that owns the job; undefined for the console and the user. */
  conversationId?: string
  invocation: Invocation
  cwd: { absolute: string; relative: string }
  environment: Record<string, string>
  columns: number
  rows: number
  /** Job tag, used to find processes that left the session; see processTree. */
  jobTag?: string
  /** See `JobInfo.marksCode`. */
  marksCode?: string
  /** How a command runs. */
  sandbox?: CommandSandbox
  /** Returns what the sandbox blocked, for a command that failed. */
  denial?(output: string): Promise<SandboxDenial | undefined>
  /**
   * Called when all processes have exited, before the job counts as ended. Returns what it changed in protected paths.
   */
  release?(): Promise<ProtectedChanges | undefined>
  graceMs: number
  onChanged(job: JobInfo): void
  onOutput(id: string, data: string): void
}

type EndedBy = NonNullable<JobInfo['endedBy']>

/** A program in its own pseudo-terminal, from its start until all its processes have exited. */
export class Job {
  readonly text: PlainText = createPlainText(textLimit)
  #options: JobOptions
  readonly #pty: IPty
  #info: JobInfo
  #backlog: string[] = []
  #backlogLength = 0
  readonly #batches: OutputBatches
  /** Whether the terminal is closed. Processes may still be exiting. */
  #closed = false
  #lastOutput = performance.now()
  #look: NodeJS.Timeout | undefined
  #lookDelay = lookMs.first
  #limit: NodeJS.Timeout | undefined
  /** Remaining time limit, and the time from which it counts down. */
  #limitLeft: number | undefined
  #limitSince = 0
  #ending: Promise<number[]> | undefined
  #exit = Promise.withResolvers<{ exitCode: number; signal?: number | undefined }>()
  #over = Promise.withResolvers<void>()
  #listeners = new Set<() => void>()

  /** @throws ToolError `io_error` if no terminal or process can be created */
  constructor(options: JobOptions) {
    this.#options = options
    const { id, kind, command, cwd, sandbox, marksCode } = options
    this.#info = { id, kind, command, cwd: cwd.relative, state: 'running', startedAt: Date.now(), sandbox, marksCode }
    this.#batches = createOutputBatches((data) => {
      if (data !== '') this.#options.onOutput(id, data)
      this.#notify()
    })
    try {
      this.#pty = startInTerminal(options.invocation.file, options.invocation.args, {
        startedBy: sandbox?.sandboxed === true ? 'sandbox' : 'user',
        name: 'xterm-256color',
        cols: options.columns,
        rows: options.rows,
        cwd: cwd.absolute,
        env: options.environment,
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const next = 'Too many processes or terminals may be open. Stop some and try again.'
      throw new ToolError('io_error', `The command could not be started: ${asSentence(reason)}`, next, { cause: error })
    }
    readToEnd(this.#pty)
    this.#pty.onData((data) => this.#receive(data))
    this.#pty.onExit((exit) => {
      this.#closed = true
      this.#exit.resolve(exit)
    })
    void this.#finish()
    if (kind === 'command') this.#lookLater(minQuietMs)
  }

  get conversationId(): string | undefined {
    return this.#options.conversationId
  }

  /** Absolute path of the folder in which it was started. */
  get folder(): string {
    return this.#options.cwd.absolute
  }

  get pid(): number {
    return this.#pty.pid
  }

  get info(): JobInfo {
    return { ...this.#info }
  }

  /** Whether all processes have exited. */
  get ended(): boolean {
    return this.#info.endedAt !== undefined
  }

  get waiting(): boolean {
    return this.#info.state === 'waiting_for_input'
  }

  /** Milliseconds since the last output. */
  get quietMs(): number {
    return performance.now() - this.#lastOutput
  }

  /**
   * Returns the backlog after passing all of it to `onOutput`, so that a reader starting here neither misses nor
   * repeats output.
   */
  readBacklog(): string {
    this.#batches.flush()
    return this.backlog
  }

  /** The last 1 MiB of raw output, including escape codes. */
  get backlog(): string {
    const all = this.#backlog.join('')
    if (all.length <= backlogLimit) return all
    const end = all.slice(-backlogLimit)
    // Starts at the beginning of a line, so that no escape sequence is incomplete.
    return end.slice(end.indexOf('\n') + 1)
  }

  /** Ends the process tree after `ms` milliseconds of running. Time spent waiting for input does not count. */
  limit(ms: number): void {
    this.#limitLeft = ms
    if (!this.waiting) this.#runLimit()
  }

  #runLimit(): void {
    if (this.#limitLeft === undefined) return
    this.#limitSince = performance.now()
    this.#limit = setTimeout(() => void this.end('timeout'), this.#limitLeft)
  }

  #pauseLimit(): void {
    if (this.#limitLeft === undefined) return
    clearTimeout(this.#limit)
    this.#limitLeft = Math.max(0, this.#limitLeft - (performance.now() - this.#limitSince))
  }

  write(data: string): void {
    if (this.#closed || this.ended) {
      throw new ToolError(
        'conflict',
        `Job ${this.#info.id} has ended and does not accept input.`,
        'Start the command again.',
      )
    }
    this.#pty.write(data)
    this.#lookDelay = lookMs.first
    if (this.#info.kind === 'command') this.#lookLater(lookMs.first)
  }

  resize(columns: number, rows: number): void {
    if (!this.#closed && !this.ended) this.#pty.resize(columns, rows)
  }

  /** Reports to other owners from now on: the window shows other folders. @param listener `cwd`: see `JobInfo.cwd` */
  moveTo({ cwd, ...listener }: Pick<JobOptions, 'onChanged' | 'onOutput'> & { cwd: string }): void {
    this.#options = { ...this.#options, ...listener }
    this.#info = { ...this.#info, cwd }
  }

  rename(name: string): void {
    this.#info = { ...this.#info, name: name.trim() || undefined }
    this.#options.onChanged(this.info)
  }

  /** Ends the program and all its processes. Resolves when they have exited. Has no effect on an ended job. */
  async end(by: EndedBy): Promise<void> {
    if (this.ended) return
    if (this.#ending === undefined) {
      this.#info = { ...this.#info, endedBy: by }
      // Interactive shells ignore TERM. HUP means that the terminal was closed.
      const signal = this.#info.kind === 'terminal' ? 'SIGHUP' : 'SIGTERM'
      const sandboxed = this.#options.sandbox?.sandboxed === true
      const atOnce = by === 'processes' || by === 'memory'
      // Killing the launcher ends its PID namespace, faster than a fork bomb can start processes.
      if (atOnce && sandboxed) this.#pty.kill('SIGKILL')
      this.#ending = endTree(
        { root: this.#pty.pid, jobTag: this.#options.jobTag },
        // The sandbox launcher kills all its processes as soon as it gets the signal, without time to clean up.
        { signal, graceMs: atOnce ? 0 : this.#options.graceMs, spareRoot: sandboxed },
      )
      const left = await this.#ending
      // A process of another user (sudo) cannot be killed. The job still counts as ended.
      if (left.length > 0) this.#exit.resolve({ exitCode: -1 })
    }
    await this.#over.promise
  }

  /**
   * Resolves after `ms`, or when `done()` is true, which is checked on every change and every 50 ms. Rejects on abort.
   */
  async until(done: () => boolean, ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = () => {
      if (done()) resolve()
    }
    const abort = () => reject(signal?.reason)
    const repeat = setInterval(check, 50)
    const latest = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined
    this.#listeners.add(check)
    signal?.addEventListener('abort', abort, { once: true })
    check()
    try {
      await promise
    } finally {
      clearInterval(repeat)
      clearTimeout(latest)
      this.#listeners.delete(check)
      signal?.removeEventListener('abort', abort)
    }
  }

  #receive(data: string): void {
    this.#lastOutput = performance.now()
    this.#lookDelay = lookMs.first
    this.text.write(data)
    this.#keep(data)
    this.#batches.add(data)
  }

  #keep(data: string): void {
    this.#backlog.push(data)
    this.#backlogLength += data.length
    // Truncated only occasionally, because each truncation copies.
    if (this.#backlogLength <= 2 * backlogLimit) return
    const kept = this.backlog
    this.#backlog = [kept]
    this.#backlogLength = kept.length
  }

  async #finish(): Promise<void> {
    // node-pty reports the exit after the last output, at most 200 ms after the program has exited. Background
    // processes that keep the terminal open do not delay it further.
    const { exitCode, signal } = await this.#exit.promise
    await this.#ending
    clearTimeout(this.#look)
    clearTimeout(this.#limit)
    this.#batches.flush()
    const name = signal ? Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] : undefined
    const { endedBy } = this.#info
    const protectedChanges = await this.#options.release?.()
    const succeeded = exitCode === 0 && name === undefined && endedBy === undefined
    const denial = succeeded ? undefined : ((await this.#denial(endedBy)) ?? undefined)
    this.#info = {
      ...this.#info,
      state: exitCode < 0 ? 'failed' : name !== undefined || endedBy !== undefined ? 'killed' : 'exited',
      endedAt: Date.now(),
      ...(name !== undefined ? { signal: name } : exitCode >= 0 ? { exitCode } : {}),
      // A command that succeeded was not blocked by the sandbox, even if it listened for connections.
      denial,
      protectedChanges,
    }
    this.#over.resolve()
    this.#options.onChanged(this.info)
    this.#notify()
  }

  async #denial(endedBy: EndedBy | undefined): Promise<SandboxDenial | undefined> {
    if (endedBy === undefined) return this.#options.denial?.(this.text.all())
    return endedBy === 'timeout' ? this.#info.denial : undefined
  }

  /** Detects that a command without network listens for connections, which nothing outside the sandbox can reach. */
  async #lookForListening(): Promise<void> {
    const { sandbox } = this.#options
    if (process.platform !== 'linux' || this.#info.denial || !sandbox?.sandboxed || sandbox.network) return
    const inner = (await descendants(this.#pty.pid)).at(-1)
    const ports = inner === undefined || inner === this.#pty.pid ? [] : await listeningPorts(inner)
    if (ports.length === 0 || this.ended) return
    this.#info = { ...this.#info, denial: listeningDenial(ports) }
    this.#options.onChanged(this.info)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  #lookLater(ms: number): void {
    clearTimeout(this.#look)
    // Unreferenced, so that the timer does not keep Tizona running.
    this.#look = setTimeout(() => void this.#lookNow(), ms).unref()
  }

  async #lookNow(): Promise<void> {
    await this.#lookForListening()
    // While a program waits, the echo of typed input is output too.
    if (this.waiting || this.quietMs >= minQuietMs) {
      const activity = await foregroundActivity(this.#pty.pid)
      if (this.ended || this.#ending !== undefined) return
      const waits = this.waiting && activity === 'reading' ? true : waitsForInput(activity, this.quietMs, this.text)
      if (waits !== this.waiting) {
        this.#info = { ...this.#info, state: waits ? 'waiting_for_input' : 'running' }
        if (waits) this.#pauseLimit()
        else this.#runLimit()
        this.#options.onChanged(this.info)
        this.#notify()
      }
    }
    this.#lookDelay = Math.min(this.#lookDelay * 1.3, lookMs.longest)
    this.#lookLater(this.#lookDelay)
  }
}

function listeningDenial(ports: readonly number[]): SandboxDenial {
  const where = ports.map((port) => `localhost:${port}`).join(', ')
  const message = `The command listens on ${where}, which cannot be opened from outside the sandbox without network.`
  return { kind: 'listening', message, retry: 'network' }
}
