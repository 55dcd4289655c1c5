import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolError } from '../../shared/errors.ts'
import type { McpDefinition } from '../../shared/mcp.ts'
import type { ServerLog } from './serverLog.ts'
import { boundEvents } from './boundedEvents.ts'
import { endlessLog, maxMessage, oversizedFailure, oversizedLog } from './oversizedMessages.ts'

type Address = Extract<McpDefinition, { type: 'http' }>

/** Streamable HTTP, as the protocol has it since 2025. */
export function createHttpTransport({ url, headers }: Address, log: ServerLog): Transport {
  const fetch = boundedFetch(new URL(url).origin, log, () => giveUp(transport, log))
  const transport: Transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch })
  return transport
}

/** The protocol's older way over HTTP, for servers that answer the newer one with 4xx. */
export function createSseTransport({ url, headers }: Address, log: ServerLog): Transport {
  const fetch = boundedFetch(new URL(url).origin, log, () => giveUp(transport, log))
  const transport: Transport = new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch })
  return transport
}

/** Who waits for the answer must not wait on. */
function giveUp(transport: Transport, log: ServerLog): void {
  log.add(endlessLog)
  void transport.close()
}

/** Whether a failed start means that the server may speak the older way only (as the protocol's own rule for clients has it). */
export function speaksSseOnly(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code !== undefined && [400, 404, 405].includes(error.code)
}

/** The server was started again and knows our session no more, or is not reached at all: a new session may begin. */
export function isLostSession(error: unknown): boolean {
  return (error instanceof StreamableHTTPError && error.code === 404) || isUnreachable(error)
}

/** What `fetch` throws where nobody answers. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined
}

/** A failed request in the user's words; undefined for failures of another kind. */
export function httpFailure(error: unknown): ToolError | undefined {
  if (isUnreachable(error))
    return new ToolError('network_error', 'The server is not reached.', 'Start it, or check the address.')
  const status = error instanceof StreamableHTTPError || error instanceof SseError ? error.code : undefined
  if (status === 401 || status === 403 || (error instanceof Error && error.name === 'UnauthorizedError')) {
    const next = 'Add the header it asks for, e.g. Authorization with `Bearer ${input:token}`, and store the secret.'
    return new ToolError('server_error', `The server refused the request (${status ?? 401}).`, next)
  }
  if (status === undefined || status < 100) return undefined
  if (status === 404) {
    const next = 'Tizona connects anew; try once more, or check the address.'
    return new ToolError('server_error', 'The server knows neither this address nor our session.', next)
  }
  return new ToolError(
    'server_error',
    `The server answered with status ${status}.`,
    'Check the address and the server.',
  )
}

/**
 * `fetch` to one origin that follows no redirect, so that headers with keys go where the user said and nowhere else. A body, or an event of
 * a stream, of more than 10 MB fails for the call that waits for it; the connection ends (`onEndless`) for an event that does not end.
 */
function boundedFetch(origin: string, log: ServerLog, onEndless: () => void): FetchLike {
  return async (address, init) => {
    const url = new URL(address)
    if (url.origin !== origin) {
      throw new ToolError(
        'address_refused',
        `The server pointed to ${url.origin}, which is not where it stands (${origin}).`,
      )
    }
    const response = await fetch(url, { ...init, redirect: 'manual' })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const next = 'Enter the address it leads to, if that is the right one.'
      throw new ToolError('address_refused', 'The server answered with a redirect, which is not followed.', next)
    }
    if (!response.body) return response
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const bounded = response.body.pipeThrough(events ? boundEvents((line) => log.add(line), onEndless) : boundBody(log))
    return new Response(bounded, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

function boundBody(log: ServerLog): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size <= maxMessage) return controller.enqueue(chunk)
      log.add(oversizedLog)
      controller.error(oversizedFailure())
    },
  })
}
