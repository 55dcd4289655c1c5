import { z } from 'zod'
import { isAbort } from '../../../shared/errors.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { log } from '../../base/log/log.ts'
import { ModelError } from '../../model/modelClient.ts'
import { readText, sendRequest, type HttpResponse } from '../../model/transport/http.ts'
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
  /** Ends the requests to an endpoint; without one all, because messages were lost or the window was closed. */
  cancel(endpointId?: string): void
}

interface ModelRequestsDeps {
  send(message: ModelAnswer): void
  /** Returns how to reach an endpoint. @throws Error unless the user has allowed it to this host */
  access(endpointId: string): Promise<ServerAccess>
}

interface Running {
  endpoint: string
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
    const entry: Running = { endpoint, cancel: new AbortController(), credit: unreadBytes, wake: () => undefined }
    const { signal } = entry.cancel
    running.set(id, entry)
    try {
      const { root, connection, target } = await access(endpoint)
      send({ kind: 'model', id, step: 'accepted' })
      // As a server that does not have it.
      if (!isModelPath(method, path)) return answer(id, 404, {})
      const parsed: unknown = body === undefined ? undefined : JSON.parse(body)
      if (namesAddress(parsed))
        return answer(id, 400, { error: { message: 'Images and sound must be in the request, not at an address.' } })
      const response = await sendRequest({
        method,
        url: `${root}${path}`,
        connection,
        // Written again, so that the server reads what was checked.
        ...(parsed !== undefined && { body: JSON.stringify(parsed) }),
        signal,
        timeouts: { headersMs: noLimit, chunkMs: noLimit },
        target,
      })
      if (path.startsWith('/get_server_info'))
        answer(id, response.status, publicServerInfo(await readText(response, target)))
      else await passOn(id, response, entry)
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

  function answer(id: number, status: number, value: object): void {
    send({ kind: 'model', id, step: 'head', status, headers: { 'content-type': 'application/json' } })
    send({ kind: 'model', id, step: 'data', data: Buffer.from(JSON.stringify(value)).toString('base64') })
    send({ kind: 'model', id, step: 'end' })
  }

  function end(entry: Running): void {
    entry.cancel.abort()
    entry.wake()
  }

  return {
    accept(message) {
      const request = modelRequestSchema.parse(message)
      const entry = running.get(request.id)
      if (request.step === 'cancel') {
        if (entry) end(entry)
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
    cancel(endpointId) {
      for (const entry of running.values()) if (endpointId === undefined || entry.endpoint === endpointId) end(entry)
    },
  }
}

/**
 * Whether a prompt names an address, which the server would load for the host: llama-server, vLLM and SGLang load
 * images from any. Tool calls and schemas have addresses of their own, which no server loads.
 */
function namesAddress(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesAddress)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, part]) =>
    typeof part === 'string'
      ? /url$/i.test(name) && !part.startsWith('data:')
      : !['tools', 'tool_calls', 'response_format', 'json_schema', 'format'].includes(name) && namesAddress(part),
  )
}

const serverInfo = z.object({ max_total_num_tokens: z.number().optional(), context_length: z.number().optional() })

/** Returns what SGLang says about its model. Its answer has all options of the server, and its key is one of them. */
function publicServerInfo(text: string): z.output<typeof serverInfo> {
  try {
    return serverInfo.parse(JSON.parse(text))
  } catch {
    return {}
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
