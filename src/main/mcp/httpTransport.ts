import { extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js'
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolError } from '../../shared/errors.ts'
import type { McpDefinition } from '../../shared/tools/mcp.ts'
import { createBoundedLines, type OversizedLine } from '../base/boundedLines.ts'
import type { ServerLog } from '../base/serverLog.ts'
import type { Authorization } from './oauth/authorization.ts'
import { SignInRequired } from './oauth/signInFailures.ts'
import {
  endlessLogMessage,
  maxMessageBytes,
  oversizedFailure,
  oversizedLogMessage,
  oversizedResponse,
  maxEndlessBytes,
} from './oversizedMessages.ts'

type Address = Extract<McpDefinition, { type: 'http' }>

/** The user's sign-in at a server; undefined if the definition contains a key. */
type SignIn = Authorization | undefined

/** Creates a Streamable HTTP transport, the protocol's HTTP transport since 2025. */
export function createHttpTransport({ url, headers }: Address, log: ServerLog, signIn: SignIn): Transport {
  const fetch = boundedFetch(new URL(url).origin, log, signIn, () => closeUnresponsive(transport, log))
  const transport: Transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch })
  return transport
}

/** Creates the older SSE transport, for servers that reject the newer one with a 4xx status. */
export function createSseTransport({ url, headers }: Address, log: ServerLog, signIn: SignIn): Transport {
  const fetch = boundedFetch(new URL(url).origin, log, signIn, () => closeUnresponsive(transport, log))
  const transport: Transport = new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch })
  return transport
}

/** Closes the transport, so that pending calls fail instead of waiting forever. */
function closeUnresponsive(transport: Transport, log: ServerLog): void {
  log.add(endlessLogMessage)
  void transport.close()
}

/** Whether a failed start means that the server only supports SSE, according to the protocol's rule for clients. */
export function isSseOnlyServer(error: unknown): boolean {
  return error instanceof StreamableHTTPError && error.code !== undefined && [400, 404, 405].includes(error.code)
}

/** Whether to reconnect, because the server has lost our session, no longer knows the user or is unreachable. */
export function isLostSession(error: unknown): boolean {
  if (error instanceof StreamableHTTPError && error.code === 404) return true
  return error instanceof SignInRequired || isUnreachable(error)
}

/** `fetch` throws such an error if the connection fails. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined
}

/** Returns a readable error for a failed request; undefined for other failures. */
export function httpFailure(error: unknown): ToolError | undefined {
  if (isUnreachable(error))
    return new ToolError('network_error', 'The server is unreachable.', 'Start it, or check the address.')
  const status = error instanceof StreamableHTTPError || error instanceof SseError ? error.code : undefined
  if (status === 401 || status === 403 || (error instanceof Error && error.name === 'UnauthorizedError')) {
    const next = 'Add the header it asks for, e.g. Authorization with `Bearer ${input:token}`, and store the secret.'
    return new ToolError('server_error', `The server refused the request (${status ?? 401}).`, next)
  }
  if (status === undefined || status < 100) return undefined
  if (status === 404) {
    const next = 'Tizona reconnects. Try once more, or check the address.'
    return new ToolError('server_error', 'The server does not recognize the address or the session.', next)
  }
  return new ToolError(
    'server_error',
    `The server responded with status ${status}.`,
    'Check the address and the server.',
  )
}

/**
 * Creates a `fetch` for one origin without redirects, so that headers with keys are only sent where the user intended.
 * A body or event over 10 MB fails the pending call; an endless event closes the connection (`onEndless`).
 */
function boundedFetch(origin: string, log: ServerLog, signIn: SignIn, onEndless: () => void): FetchLike {
  return async (address, init) => {
    const url = new URL(address)
    if (url.origin !== origin) {
      throw new ToolError(
        'address_refused',
        `The server referred to ${url.origin} instead of its own origin ${origin}.`,
      )
    }
    const response = await fetchSignedIn(url, { ...init, redirect: 'manual' }, signIn)
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const next = 'If the redirect is correct, enter its address.'
      throw new ToolError('address_refused', 'The server responded with a redirect, which is not followed.', next)
    }
    if (!response.body) return response
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const bounded = response.body.pipeThrough(
      events ? limitEventSize((line) => log.add(line), onEndless) : boundBody(log),
    )
    return new Response(bounded, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
}

/**
 * Sends a request with the access token. If the server refuses it, retries once with a new token.
 * @throws SignInRequired
 */
async function fetchSignedIn(url: URL, init: RequestInit, signIn: SignIn): Promise<Response> {
  if (!signIn) return fetch(url, init)
  const send = (token: string | undefined): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return fetch(url, { ...init, headers })
  }
  const token = await signIn.token()
  let response = await send(token)
  if (response.status === 401 && token !== undefined && (await signIn.renew(token))) {
    await response.body?.cancel()
    response = await send(await signIn.token())
  }
  const challenge = response.headers.get('www-authenticate') ?? ''
  const wantsMore = response.status === 403 && /\berror="?insufficient_scope\b/i.test(challenge)
  if (response.status !== 401 && !wantsMore) return response
  await response.body?.cancel()
  const { scope } = extractWWWAuthenticateParams(response)
  if (wantsMore && scope !== undefined) await signIn.requireScopes(scope)
  if (wantsMore) throw new SignInRequired('The server requires more permissions than you gave it.', signInHint)
  if (/^bearer\b/i.test(challenge)) throw new SignInRequired('The server requires a sign-in.', signInHint)
  throw new SignInRequired(
    'The server refused the request (401).',
    'Sign in, or add the header it asks for, e.g. Authorization with `Bearer ${input:token}`, and store the secret.',
  )
}

const signInHint = 'Sign in under Settings, MCP servers, or with "tizona mcp login NAME".'

function boundBody(log: ServerLog): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size <= maxMessageBytes) return controller.enqueue(chunk)
      log.add(oversizedLogMessage)
      controller.error(oversizedFailure())
    },
  })
}

interface OpenEvent {
  lines: Buffer[]
  size: number
  /** Set for an oversized event: the start and end of its data, and its id, from which a broken stream can resume. */
  ends: { head: Buffer; tail: Buffer; id: Buffer | undefined } | undefined
}

const newline = Buffer.from('\n')
const endBytes = 1024

/**
 * Creates an event stream transform (text/event-stream) that replaces events over `maxMessageBytes` with an error
 * response for the pending call. Buffers one event at a time.
 * @param log receives a message about each replaced event
 * @param onEndless called for an endless event
 */
function limitEventSize(log: (line: string) => void, onEndless: () => void): TransformStream<Uint8Array, Uint8Array> {
  const lines = createBoundedLines(maxMessageBytes)
  let event: OpenEvent = { lines: [], size: 0, ends: undefined }

  function add(line: Buffer | OversizedLine): void {
    const { head, tail } = 'head' in line ? line : { head: line, tail: line }
    event.size += line.length + 1
    if (event.ends === undefined && !('head' in line) && event.size <= maxMessageBytes) {
      event.lines.push(line)
      return
    }
    event.ends ??= {
      head: dataOf(event.lines.find(isData) ?? head),
      tail: Buffer.alloc(0),
      id: event.lines.find((each) => each.subarray(0, 3).equals(Buffer.from('id:'))),
    }
    event.lines = []
    if (isData(head)) event.ends.tail = Buffer.from(tail.subarray(-endBytes))
  }

  function finish(): Buffer {
    const { lines: complete, ends } = event
    event = { lines: [], size: 0, ends: undefined }
    if (ends === undefined) return Buffer.concat([...complete, Buffer.alloc(0)].flatMap((line) => [line, newline]))
    const answer = oversizedResponse(ends)
    log(oversizedLogMessage)
    const parts = [ends.id, answer && Buffer.from(`data: ${JSON.stringify(answer)}`)].filter(
      (part) => part !== undefined,
    )
    return Buffer.concat([...parts, Buffer.alloc(0)].flatMap((line) => [line, newline]))
  }

  return new TransformStream({
    transform(chunk, controller) {
      for (const line of lines.push(chunk)) {
        if (!('head' in line) && isBlank(line)) controller.enqueue(finish())
        else add(line)
      }
      if (event.size + lines.pending() <= maxEndlessBytes) return
      controller.error(new Error(endlessLogMessage))
      onEndless()
    },
  })
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d)
}

function isData(line: Buffer): boolean {
  return line.subarray(0, 5).equals(Buffer.from('data:'))
}

/** Returns the start of an event's data without the field name. */
function dataOf(line: Buffer): Buffer {
  return Buffer.from(line.subarray(isData(line) ? 5 : 0).subarray(0, endBytes))
}
