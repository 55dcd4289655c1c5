import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { CallToolResultSchema, type Tool as ServerTool } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../../shared/errors.ts'
import { callFailure, progressText, startProblem, safeErrorMessage } from './serverFailureMessages.ts'
import {
  createLister,
  listServer,
  openClient,
  type ClientOptions,
  type OpenClient,
  type ServerLists,
} from './protocolClient.ts'
import { getPrompt, noContent, readResource, type ResourceContent, type ServerContent } from './serverContent.ts'
import { toolResult, type McpResult } from './mcpTool.ts'

/** `failed`: no further attempts; `starting` with a problem: waiting for the next attempt. */
export type ConnectionState =
  | { kind: 'starting'; problem?: string }
  | { kind: 'connected' }
  | { kind: 'failed'; problem: string; signInRequired?: boolean }
  | { kind: 'closed' }

/** A connection to one server that reconnects automatically. */
export interface Connection {
  state(): ConnectionState
  /** Returns the tools listed last; empty while disconnected. */
  tools(): readonly ServerTool[]
  /** Returns the prompts and resources listed last; empty while disconnected. */
  content(): ServerContent
  /** Returns the text of a prompt. @throws ToolError, AbortError */
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>
  /** Reads a resource. @throws ToolError, AbortError */
  resource(uri: string, signal: AbortSignal): Promise<ResourceContent>
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

interface ConnectionOptions extends ClientOptions {
  name: string
  /** Whether a failed call means that a new connection is needed. */
  isLost(error: unknown): boolean
  /** Returns a readable error for failures that the transport recognizes. */
  explain(error: unknown): ToolError | undefined
  onChanged(): void
}

const nothingListed: ServerLists = { tools: [], ...noContent }

/** Keeps a server connected until `close`. Failures become states and are never thrown. */
export function createConnection(options: ConnectionOptions): Connection {
  const { log, times } = options
  const end = new AbortController()
  let state: ConnectionState = { kind: 'starting' }
  let client: Client | undefined
  let lists: ServerLists = nothingListed
  const first = Promise.withResolvers<void>()
  const ended = keepConnected()

  function change(next: ConnectionState): void {
    state = next
    first.resolve()
    if (next.kind !== 'connected') lists = nothingListed
    options.onChanged()
  }

  async function keepConnected(): Promise<void> {
    for (let attempt = 0; !end.signal.aborted; attempt += 1) {
      const { problem, final, lasted, signInRequired } = await connectOnce()
      if (end.signal.aborted) break
      log.add(problem)
      if (lasted > times.stableAfter) attempt = 0
      const wait = times.retries[attempt]
      if (final || wait === undefined) return change({ kind: 'failed', problem, signInRequired })
      change({ kind: 'starting', problem })
      await sleep(wait, undefined, { signal: end.signal }).catch(() => undefined)
    }
    change({ kind: 'closed' })
  }

  /**
   * Runs one connection until it ends.
   * @returns why it ended, and whether another attempt would fail the same way
   */
  async function connectOnce(): Promise<{
    problem: string
    final: boolean
    lasted: number
    signInRequired?: boolean
  }> {
    let opened: OpenClient | undefined
    const since = performance.now()
    const listAgain = createLister(options, end.signal, (listed, from) => {
      if (client !== from) return
      lists = listed
      options.onChanged()
    })
    try {
      opened = await openClient(options, end.signal, listAgain)
      const { client: connected, closed } = opened
      const listed = await listServer(connected, options, end.signal)
      client = connected
      lists = listed
      change({ kind: 'connected' })
      await closed
      return { problem: 'The connection was closed.', final: false, lasted: performance.now() - since }
    } catch (error) {
      const failure = options.explain(error) ?? (error instanceof ToolError ? error : undefined)
      const problem = failure ? `${failure.message} ${failure.next}`.trim() : startProblem(error)
      const signInRequired = failure?.reason === 'sign_in_required'
      return { problem, final: failure !== undefined && failure.code !== 'network_error', lasted: 0, signInRequired }
    } finally {
      client = undefined
      await opened?.client.close().catch((error: unknown) => log.add(safeErrorMessage(error)))
    }
  }

  function connectedClient(): Client {
    if (client) return client
    throw new ToolError(
      'server_error',
      `The MCP server "${options.name}" is not connected.`,
      'Work without it. The user sees the reason in Settings under MCP servers.',
    )
  }

  async function request<T>(
    send: (connected: Client, settings: { timeout: number; signal: AbortSignal }) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const connected = connectedClient()
    try {
      return await send(connected, { timeout: times.call, signal })
    } catch (error) {
      if (options.isLost(error)) void connected.close().catch((problem: unknown) => log.add(safeErrorMessage(problem)))
      throw callFailure(error, options, signal)
    }
  }

  return {
    state: () => state,
    tools: () => lists.tools,
    content: () => lists,
    prompt: (name, args, signal) =>
      request((connected, settings) => getPrompt(connected, name, args, settings), signal),
    resource: (uri, signal) => request((connected, settings) => readResource(connected, uri, settings), signal),
    call: async (tool, args, callOptions) => callTool(connectedClient(), tool, args, callOptions, options),
    firstAttempt: (signal) => abortable(first.promise, signal),
    async close() {
      end.abort()
      await client?.close().catch((error: unknown) => log.add(safeErrorMessage(error)))
      await ended
    },
  }
}

async function callTool(
  client: Client,
  tool: string,
  args: Record<string, unknown>,
  { signal, progress }: Parameters<Connection['call']>[2],
  options: ConnectionOptions,
): Promise<McpResult> {
  const { log, times } = options
  try {
    const result = await client.request(
      { method: 'tools/call', params: { name: tool, arguments: args } },
      CallToolResultSchema,
      {
        signal,
        timeout: times.call,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: times.callTotal,
        onprogress: (update) => progress(progressText(update)),
      },
    )
    return toolResult(result, tool)
  } catch (error) {
    if (options.isLost(error)) void client.close().catch((problem: unknown) => log.add(safeErrorMessage(problem)))
    throw callFailure(error, options, signal)
  }
}

/** Waits for work until the signal aborts. */
async function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
