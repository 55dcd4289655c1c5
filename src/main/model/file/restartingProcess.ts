import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChildProcess, ForkProcess } from '../../base/childProcess.ts'
import { ModelError } from '../modelClient.ts'
import type { ModelFileMessage, ModelFileOptions, ModelFileRequest } from './modelFileMessages.ts'
import { modelName } from './modelFileParts.ts'
import { createStateFile, type StateFile } from './stateFile.ts'

/** A message about a request: from the process, or the reason why it ended. */
export type RequestMessage =
  | Exclude<ModelFileMessage, { loaded: true } | { cancelled: true }>
  | { ended: string; whileLoading: boolean }

/** The process of one model file. Starts with the first request, and again with the first one after it ended. */
export interface RestartingProcess {
  /** Whether the model is in memory. */
  readonly isLoaded: boolean
  /**
   * Starts the process if needed. Yields why a request waits. A process that ended several times in a row starts after
   * a pause.
   * @throws AbortError
   */
  running(signal: AbortSignal): AsyncGenerator<{ status: string }, ChildProcess, void>
  /** Sends a request. @returns a function that stops `onMessage` */
  send(child: ChildProcess, request: WithoutId<ModelFileRequest>, onMessage: (message: RequestMessage) => void): Sent
  close(): void
}

interface Sent {
  /** Cancels the request in the process. A process that does not confirm it in time is ended. */
  cancel(): void
  /** Stops listening. */
  stop(): void
}

export type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

/** Milliseconds between the end of a process and its restart, by the number of consecutive ends. */
const restartDelays = [0, 1000, 5000, 30_000, 120_000]

/**
 * Time limit for confirming a cancellation, in milliseconds. llama.cpp works in its own threads, so only a hang takes
 * longer, such as an endless chat template.
 */
const defaultCancelMs = 10_000

export interface ProcessDeps {
  fork: ForkProcess
  /** Folder for the file in which the process keeps the prompt of a conversation. */
  stateFolder?: string | undefined
  /** Time limit for confirming a cancellation, in milliseconds. For tests. */
  cancelMs?: number | undefined
}

export function createRestartingProcess(
  options: ModelFileOptions,
  { fork, stateFolder, cancelMs = defaultCancelMs }: ProcessDeps,
): RestartingProcess {
  const name = modelName(options.file)
  const listeners = new Map<number, (message: RequestMessage) => void>()
  /** Timers that end the process, by the id of the cancelled request. */
  const unconfirmed = new Map<number, NodeJS.Timeout>()
  let child: ChildProcess | undefined
  let stateFile: StateFile | undefined
  let nextId = 0
  let isLoaded = false
  /** Number of consecutive ends of the process without an answer in between. */
  let failures = 0
  let lastEnd: { reason: string; at: number; whileLoading: boolean } | undefined
  let closed = false

  /** A graphics driver can crash, so the next attempt does not use it. */
  const usesGpu = (): boolean => options.gpu && lastEnd?.whileLoading !== true

  function start(): ChildProcess {
    stateFile = stateFolder === undefined ? undefined : createStateFile(stateFolder)
    const given: ModelFileOptions = { ...options, gpu: usesGpu(), ...(stateFile && { stateFile: stateFile.path }) }
    child = fork(
      processFile(),
      { name: `Tizona model ${name}`, args: [JSON.stringify(given)], execArgv: [] },
      // Sent by modelFileProcess.ts.
      { onMessage: (message) => receive(message as ModelFileMessage), onExit: ended },
    )
    return child
  }

  function receive(message: ModelFileMessage): void {
    if ('loaded' in message) {
      isLoaded = true
      return
    }
    if ('cancelled' in message) return confirm(message.id)
    if ('usage' in message || 'vectors' in message) failures = 0
    listeners.get(message.id)?.(message)
  }

  function confirm(id: number): void {
    clearTimeout(unconfirmed.get(id))
    unconfirmed.delete(id)
  }

  function ended(reason: string): void {
    child = undefined
    stateFile?.remove()
    for (const id of unconfirmed.keys()) confirm(id)
    const whileLoading = !isLoaded
    lastEnd = { reason, at: performance.now(), whileLoading }
    isLoaded = false
    failures++
    const waiting = [...listeners.values()]
    listeners.clear()
    for (const listener of waiting) listener({ ended: reason, whileLoading })
  }

  return {
    get isLoaded() {
      return isLoaded
    },
    async *running(signal) {
      if (child) return child
      if (lastEnd) {
        yield {
          status:
            usesGpu() === options.gpu
              ? `The process of ${name} ended (${lastEnd.reason}). Starting it again…`
              : `The process of ${name} ended (${lastEnd.reason}). Starting it again without the graphics card…`,
        }
        const pause = restartDelays[Math.min(failures, restartDelays.length) - 1] ?? 0
        const left = lastEnd.at + pause - performance.now()
        if (left > 0) await delay(left, undefined, { signal })
      }
      signal.throwIfAborted()
      if (closed) throw new ModelError('unreachable', `${name} was closed.`, 'Select another model.')
      return child ?? start()
    },
    send(target, request, onMessage) {
      const id = nextId++
      listeners.set(id, onMessage)
      const post = (message: ModelFileRequest): void => target.post(message)
      post({ id, ...request })
      return {
        cancel() {
          post({ id, method: 'cancel' })
          if (target === child) unconfirmed.set(id, setTimeout(() => target.kill(), cancelMs).unref())
        },
        stop: () => void listeners.delete(id),
      }
    },
    close() {
      closed = true
      child?.kill()
      // This process may exit before it learns of the child's exit.
      stateFile?.remove()
    },
  }
}

/** Path of the process's entry: beside this file in the sources, in out/main in a build. */
function processFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'modelFileProcess.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'modelFileProcess.js')
}
