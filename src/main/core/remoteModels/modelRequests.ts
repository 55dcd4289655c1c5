import { isAbort } from '../../../shared/errors.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { log } from '../../base/log/log.ts'
import { ModelError } from '../../model/modelClient.ts'
import { sendRequest, type HttpResponse } from '../../model/transport/http.ts'
import type { ServerAccess } from '../../model/transport/serverAccess.ts'
import {
  isModelPath,
  maxModelRequests,
  modelRequestSchema,
  unreadBytes,
  type ModelAnswer,
  type ModelFailure,
  type ModelRequest,
} from './modelMessages.ts'

/** The desktop's side of requests of a host to model servers on this computer. */
export interface ModelRequests {
  /** @throws ZodError for a message that no host of this build sends */
  accept(message: unknown): void
  /** Ends all requests, because messages were lost or the window was closed. */
  cancelAll(): void
}

interface ModelRequestsDeps {
  send(message: ModelAnswer): void
  /** Returns how to reach an endpoint. @throws Error unless the user has allowed it to this host */
  access(endpointId: string): Promise<ServerAccess>
}

interface Running {
  cancel: AbortController
  /** Bytes that may be sent before the host has read more. */
  credit: number
  wake(): void
}

/** Limits on silence are those of the host, which cancels. */
const noLimit = 2 ** 31 - 1

/** The headers of answers that clients read. */
const passedHeaders = ['content-type', 'retry-after']

export function createModelRequests({ send, access }: ModelRequestsDeps): ModelRequests {
  const running = new Map<number, Running>()

  async function run({ id, endpoint, method, path, body }: ModelRequest & { step: 'send' }): Promise<void> {
    const entry: Running = { cancel: new AbortController(), credit: unreadBytes, wake: () => undefined }
    const { signal } = entry.cancel
    running.set(id, entry)
    try {
      const { root, connection, target } = await access(endpoint)
      send({ kind: 'model', id, step: 'accepted' })
      if (!isModelPath(path)) {
        // As a server that does not have it.
        send({ kind: 'model', id, step: 'head', status: 404, headers: { 'content-type': 'application/json' } })
        return send({ kind: 'model', id, step: 'end' })
      }
      const response = await sendRequest({
        method,
        url: `${root}${path}`,
        connection,
        ...(body !== undefined && { body }),
        signal,
        timeouts: { headersMs: noLimit, chunkMs: noLimit },
        target,
      })
      await passOn(id, response, entry)
    } catch (error) {
      if (!signal.aborted) send({ kind: 'model', id, step: 'failed', failure: toFailure(error) })
    } finally {
      running.delete(id)
    }
  }

  async function passOn(id: number, response: HttpResponse, entry: Running): Promise<void> {
    const { signal } = entry.cancel
    const headers = Object.fromEntries(
      passedHeaders.flatMap((name) =>
        response.headers[name] === undefined ? [] : [[name, String(response.headers[name])]],
      ),
    )
    send({ kind: 'model', id, step: 'head', status: response.status, headers })
    for await (const chunk of response.chunks())
      for (let at = 0; at < chunk.length;) {
        while (entry.credit === 0 && !signal.aborted) await new Promise<void>((resolve) => (entry.wake = resolve))
        if (signal.aborted) return
        const part = chunk.subarray(at, at + entry.credit)
        at += part.length
        entry.credit -= part.length
        send({ kind: 'model', id, step: 'data', data: part.toString('base64') })
      }
    send({ kind: 'model', id, step: 'end' })
  }

  function cancel(entry: Running): void {
    entry.cancel.abort()
    entry.wake()
  }

  return {
    accept(message) {
      const request = modelRequestSchema.parse(message)
      const entry = running.get(request.id)
      if (request.step === 'cancel') {
        if (entry) cancel(entry)
      } else if (request.step === 'read') {
        if (!entry) return
        entry.credit = Math.min(unreadBytes, entry.credit + request.bytes)
        entry.wake()
      } else if (entry === undefined && running.size < maxModelRequests) void run(request)
      else {
        const busy = new ModelError('server_error', 'This host has too many requests to models.', 'Try again later.')
        send({ kind: 'model', id: request.id, step: 'failed', failure: toFailure(busy) })
      }
    },
    cancelAll() {
      for (const entry of running.values()) cancel(entry)
    },
  }
}

function toFailure(error: unknown): ModelFailure {
  if (error instanceof ModelError) {
    const cause = errorCode(error.cause)
    return { code: error.code, message: error.message, hint: error.hint, ...(cause !== undefined && { cause }) }
  }
  if (!isAbort(error)) log.error('A request of a host to a model server failed', error)
  return { code: 'unreachable', message: 'The request could not be sent from the computer of the window.', hint: '' }
}
