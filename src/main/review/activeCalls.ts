import { ToolError } from '../../shared/errors.ts'
import type { CallOrigin } from './reviewTypes.ts'

/** A call that may be changing files. */
export interface ActiveCall extends CallOrigin {
  /** Text of unsaved tabs before the call. */
  tabs: Map<string, string>
  /** Whether the state before the call is known. */
  observed: boolean
  /** Whether the call has ended and only its changes remain to be read. */
  ended: boolean
  key: string
}

/** This process's calls whose changes are not recorded yet. */
export class ActiveCalls {
  readonly #calls = new Set<ActiveCall>()
  /** Undos from cards that wait until the running calls have ended. */
  #waiting: PromiseWithResolvers<void>[] = []

  add(call: ActiveCall): void {
    this.#calls.add(call)
  }

  delete(call: ActiveCall): void {
    this.#calls.delete(call)
  }

  /** Whether the changes of a call are not recorded yet. */
  get any(): boolean {
    return this.#calls.size > 0
  }

  /** Whether a call is running, rather than only its changes being read. */
  isRunning(): boolean {
    return [...this.#calls].some(({ ended }) => !ended)
  }

  keys(): ReadonlySet<string> {
    return new Set([...this.#calls].map(({ key }) => key))
  }

  /** Returns the calls that may change a path. */
  covering(path: string): ActiveCall[] {
    return [...this.#calls].filter((call) => mayChangePath(call, path))
  }

  mayCommit(): boolean {
    return [...this.#calls].some(mayCommit)
  }

  /** Reports that a call ended. */
  ended(): void {
    if (!this.isRunning()) for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when no call is running. @throws ToolError `cancelled` if the folder is closed first */
  async untilEnded(): Promise<void> {
    while (this.isRunning()) {
      const waiting = Promise.withResolvers<void>()
      this.#waiting.push(waiting)
      await waiting.promise
    }
  }

  close(): void {
    for (const { reject } of this.#waiting.splice(0))
      reject(new ToolError('cancelled', 'The folder was closed before the running call ended, so nothing was undone.'))
  }
}

/** Whether a call may change a path. */
export function mayChangePath({ paths }: Pick<CallOrigin, 'paths'>, path: string): boolean {
  return paths === undefined || paths.some((each) => each === '.' || path === each || path.startsWith(`${each}/`))
}

/** Whether a call may commit: it runs a program, or its paths are unknown. */
export function mayCommit({ paths }: Pick<CallOrigin, 'paths'>): boolean {
  return paths === undefined
}
