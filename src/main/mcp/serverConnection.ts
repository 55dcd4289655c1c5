import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolResultSchema,
  ListToolsResultSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
  type Tool as ServerTool,
} from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../../shared/errors.ts'
import { callFailure, progressText, startProblem, safeErrorMessage } from './serverFailureMessages.ts'
import type { ServerLog } from './serverLog.ts'
import { toolResult, type McpResult } from './mcpToolResult.ts'

/** Timeouts in milliseconds. */
export interface McpTimeouts {
  /** For connecting and listing tools; `npx` may download a package first. */
  start: number
  /** For a call without progress; each progress notification restarts it. */
  call: number
  /** For a whole call. */
  callTotal: number
  /** Before each new attempt; the length limits the number of attempts. */
  retries: readonly number[]
  /** Duration of a connection after which the attempts are counted from zero. */
  stableAfter: number
}

export const defaultMcpTimeouts: McpTimeouts = {
  start: 60_000,
  call: 120_000,
  callTotal: 1_800_000,
  retries: [1000, 4000, 15_000],
  stableAfter: 60_000,
}

export type ConnectionState =
  | { kind: 'starting'; problem?: string }
  | { kind: 'connected' }
  | { kind: 'failed'; problem: string }
  | { kind: 'closed' }

/** A connection to one server that reconnects automatically. */
export interface Connection {
  state(): ConnectionState
  /** Returns the tools listed last; empty while disconnected. */
  tools(): readonly ServerTool[]
  /** @throws ToolError; an AbortError if `signal` aborts, which also cancels the call on the server */
  call(
    tool: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; progress(text: string): void },
  ): Promise<McpResult>
  /**
   * Resolves when the first attempt has succeeded or failed, without waiting for retries. Throws if `signal` aborts.
   */
  firstAttempt(signal: AbortSignal): Promise<void>
  /** Resolves when the process and its descendants have ended. */
  close(): Promise<void>
}

interface ConnectionOptions {
  name: string
  version: string
  /**
   * Creates a transport for each attempt. If the first one fails and `fallback.when` accepts the error, the fallback is
   * used.
   */
  transports(): Promise<{ first: Transport; fallback?: { when(error: unknown): boolean; transport(): Transport } }>
  times: McpTimeouts
  log: ServerLog
  /** Whether a failed call means that a new connection is needed. */
  isLost(error: unknown): boolean
  /** Returns a readable error for failures that the transport recognizes. */
  explain(error: unknown): ToolError | undefined
  onChanged(): void
}

/** Maximum pages and tools of a tool list. */
const maxPages = 20
const maxTools = 200

/** Keeps a server connected until `close`. Failures become states and are never thrown. */
// Longer than 100 lines, because its functions share the state of one connection.
export function createConnection(options: ConnectionOptions): Connection {
  const { log, times } = options
  const end = new AbortController()
  let state: ConnectionState = { kind: 'starting' }
  let client: Client | undefined
  let tools: readonly ServerTool[] = []
  const first = Promise.withResolvers<void>()
  const ended = keepConnected()

  function change(next: ConnectionState): void {
    state = next
    first.resolve()
    if (next.kind !== 'connected') tools = []
    options.onChanged()
  }

  async function keepConnected(): Promise<void> {
    for (let attempt = 0; !end.signal.aborted; attempt += 1) {
      const { problem, final, lasted } = await connectOnce()
      if (end.signal.aborted) break
      log.add(problem)
      if (lasted > times.stableAfter) attempt = 0
      const wait = times.retries[attempt]
      if (final || wait === undefined) return change({ kind: 'failed', problem })
      change({ kind: 'starting', problem })
      await sleep(wait, undefined, { signal: end.signal }).catch(() => undefined)
    }
    change({ kind: 'closed' })
  }

  /**
   * Runs one connection until it ends.
   * @returns why it ended, and whether another attempt would fail the same way
   */
  async function connectOnce(): Promise<{ problem: string; final: boolean; lasted: number }> {
    let opened: Opened | undefined
    const since = performance.now()
    try {
      opened = await open()
      const { client: connected, closed } = opened
      // A server without the tools capability does not answer a list request.
      const listed = connected.getServerCapabilities()?.tools === undefined ? [] : await listTools(connected)
      client = connected
      tools = listed
      change({ kind: 'connected' })
      await closed
      return { problem: 'The connection was closed.', final: false, lasted: performance.now() - since }
    } catch (error) {
      const failure = options.explain(error) ?? (error instanceof ToolError ? error : undefined)
      const problem = failure ? `${failure.message} ${failure.next}`.trim() : startProblem(error)
      return { problem, final: failure !== undefined && failure.code !== 'network_error', lasted: 0 }
    } finally {
      client = undefined
      await opened?.client.close().catch((error: unknown) => log.add(safeErrorMessage(error)))
    }
  }

  interface Opened {
    client: Client
    closed: Promise<void>
  }

  async function open(): Promise<Opened> {
    const { first, fallback } = await options.transports()
    try {
      return await openWith(first)
    } catch (error) {
      if (!fallback?.when(error)) throw error
      return await openWith(fallback.transport())
    }
  }

  async function openWith(transport: Transport): Promise<Opened> {
    // No client capabilities, so requests for sampling, roots or input are rejected.
    const connecting = new Client({ name: 'tizona', title: 'Tizona', version: options.version })
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    connecting.onclose = resolve
    connecting.onerror = (error) => log.add(safeErrorMessage(error))
    connecting.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, data } }) => {
      log.add(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
    })
    connecting.setNotificationHandler(ToolListChangedNotificationSchema, () => relist(connecting))
    try {
      await connecting.connect(transport, { timeout: times.start, signal: end.signal })
    } catch (error) {
      await transport.close()
      throw error
    }
    return { client: connecting, closed }
  }

  async function listTools(of: Client): Promise<ServerTool[]> {
    const found: ServerTool[] = []
    let cursor: string | undefined
    for (let page = 0; page < maxPages && found.length < maxTools; page += 1) {
      // `client.listTools` would compile a validator for each output schema, and these schemas are untrusted.
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
      const answer = await of.request(request, ListToolsResultSchema, { timeout: times.start, signal: end.signal })
      found.push(...answer.tools)
      cursor = answer.nextCursor
      if (cursor === undefined) break
    }
    if (found.length > maxTools || cursor !== undefined)
      log.add(`More than ${maxTools} tools are listed; the others are ignored.`)
    return found.slice(0, maxTools)
  }

  let listing: Promise<void> | undefined
  let again = false
  /** Limits a server that sends many notifications to one more listing after each response. */
  function relist(of: Client): void {
    if (listing) {
      again = true
      return
    }
    listing = listTools(of)
      .then((listed) => {
        if (client !== of) return
        tools = listed
        options.onChanged()
      })
      .catch((error: unknown) => log.add(`The tools could not be listed: ${safeErrorMessage(error)}`))
      .finally(() => {
        listing = undefined
        if (!again) return
        again = false
        relist(of)
      })
  }

  return {
    state: () => state,
    tools: () => tools,
    async call(tool, args, { signal, progress }) {
      const using = client
      if (!using) {
        const next = 'Work without it. The user sees the reason in Settings under MCP servers.'
        throw new ToolError('server_error', `The MCP server "${options.name}" is not connected.`, next)
      }
      try {
        const answer = await using.request(
          { method: 'tools/call', params: { name: tool, arguments: args } },
          CallToolResultSchema,
          {
            signal,
            timeout: times.call,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: times.callTotal,
            onprogress: (told) => progress(progressText(told)),
          },
        )
        return toolResult(answer, tool)
      } catch (error) {
        if (options.isLost(error)) void using.close().catch((problem: unknown) => log.add(safeErrorMessage(problem)))
        throw callFailure(error, options, signal)
      }
    },
    async firstAttempt(signal) {
      signal.throwIfAborted()
      const { promise, reject } = Promise.withResolvers<never>()
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        await Promise.race([first.promise, promise])
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    async close() {
      end.abort()
      await client?.close().catch((error: unknown) => log.add(safeErrorMessage(error)))
      await ended
    },
  }
}
