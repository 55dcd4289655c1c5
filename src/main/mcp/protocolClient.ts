import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListToolsResultSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
  type Tool as ServerTool,
} from '@modelcontextprotocol/sdk/types.js'
import { safeErrorMessage } from './serverFailureMessages.ts'
import type { McpTimeouts } from './mcpTimeouts.ts'
import type { ServerLog } from '../base/serverLog.ts'

/** Maximum pages and tools of a tool list. */
const maxPages = 20
const maxTools = 200

export interface ClientOptions {
  /** Tizona's version, which is sent to the server. */
  version: string
  /**
   * Creates a transport for each attempt. If the first one fails and `fallback.when` accepts the error, the fallback is
   * used.
   */
  transports(): Promise<{ first: Transport; fallback?: { when(error: unknown): boolean; transport(): Transport } }>
  times: McpTimeouts
  log: ServerLog
}

/** A connected protocol client. */
export interface OpenClient {
  client: Client
  /** Resolves when the connection ends. */
  closed: Promise<void>
}

/**
 * Connects to a server, with the fallback transport if the first one is not supported.
 * @param onToolsChanged called when the server reports that its list of tools has changed
 */
export async function openClient(
  options: ClientOptions,
  signal: AbortSignal,
  onToolsChanged: (client: Client) => void,
): Promise<OpenClient> {
  const { first, fallback } = await options.transports()
  try {
    return await openWith(first, options, signal, onToolsChanged)
  } catch (error) {
    if (!fallback?.when(error)) throw error
    return await openWith(fallback.transport(), options, signal, onToolsChanged)
  }
}

async function openWith(
  transport: Transport,
  { version, log, times }: ClientOptions,
  signal: AbortSignal,
  onToolsChanged: (client: Client) => void,
): Promise<OpenClient> {
  // No client capabilities, so requests for sampling, roots or input are rejected.
  const client = new Client({ name: 'tizona', title: 'Tizona', version })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  client.onclose = resolve
  client.onerror = (error) => log.add(safeErrorMessage(error))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, data } }) => {
    log.add(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => onToolsChanged(client))
  try {
    await client.connect(transport, { timeout: times.start, signal })
  } catch (error) {
    await transport.close()
    throw error
  }
  return { client, closed }
}

/** Lists the tools of a server, at most 200. Further tools are ignored and reported in the log. */
export async function listTools(
  client: Client,
  { log, times }: Pick<ClientOptions, 'log' | 'times'>,
  signal: AbortSignal,
): Promise<ServerTool[]> {
  const found: ServerTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && found.length < maxTools; page += 1) {
    // `client.listTools` would compile a validator for each output schema, and these schemas are untrusted.
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
    const result = await client.request(request, ListToolsResultSchema, { timeout: times.start, signal })
    found.push(...result.tools)
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  if (found.length > maxTools || cursor !== undefined)
    log.add(`More than ${maxTools} tools are listed; the others are ignored.`)
  return found.slice(0, maxTools)
}

/**
 * Creates a function that lists the tools again. Calls during a listing cause only one more listing, so that a server
 * that sends many notifications causes little work.
 */
export function createToolLister(
  options: Pick<ClientOptions, 'log' | 'times'>,
  signal: AbortSignal,
  onListed: (tools: readonly ServerTool[], client: Client) => void,
): (client: Client) => void {
  let listing = false
  let again = false
  return function listAgain(client) {
    if (listing) {
      again = true
      return
    }
    listing = true
    listTools(client, options, signal)
      .then((tools) => onListed(tools, client))
      .catch((error: unknown) => options.log.add(`The tools could not be listed: ${safeErrorMessage(error)}`))
      .finally(() => {
        listing = false
        if (!again) return
        again = false
        listAgain(client)
      })
  }
}
