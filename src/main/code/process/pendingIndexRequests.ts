import { ToolError } from '../../../shared/errors.ts'
import type { IndexMessage, IndexRequest } from './indexProcess.ts'

interface PendingRequest {
  request: IndexRequest
  repeated: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Requests to the index process without a result yet. */
export class PendingRequests {
  readonly #entries = new Map<number, PendingRequest>()

  /** Adds a request. @returns a promise of its result */
  add(request: IndexRequest): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#entries.set(request.id, { request, repeated: false, resolve, reject })
    return promise
  }

  /** Settles the request that a message belongs to. */
  settle(message: Exclude<IndexMessage, { notice: string }>): void {
    const entry = this.#entries.get(message.id)
    this.#entries.delete(message.id)
    if (!entry) return
    if (!('failure' in message)) return entry.resolve(message.result)
    const { code, message: text, next } = message.failure
    entry.reject(code === 'internal' ? new Error(text) : new ToolError(code, text, next))
  }

  /** Keeps requests that may be sent to the next process; rejects those that have been repeated already. */
  keepForRepeat(error: Error): void {
    for (const [id, entry] of this.#entries) {
      if (entry.repeated) this.#reject(id, entry, error)
      else entry.repeated = true
    }
  }

  rejectAll(error: Error): void {
    for (const [id, entry] of this.#entries) this.#reject(id, entry, error)
  }

  requests(): IndexRequest[] {
    return [...this.#entries.values()].map(({ request }) => request)
  }

  #reject(id: number, { reject }: PendingRequest, error: Error): void {
    this.#entries.delete(id)
    reject(error)
  }
}
