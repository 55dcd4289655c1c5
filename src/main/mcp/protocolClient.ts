import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ToolSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
  type Tool as ServerTool,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { listContent, listPages, type ServerContent } from './serverContent.ts'
import { safeErrorMessage } from './serverFailureMessages.ts'
import type { McpTimeouts } from './mcpTimeouts.ts'
import type { ServerLog } from '../base/serverLog.ts'
import { Throttler } from '../../shared/async/throttler.ts'

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
 * @param onListsChanged called when the server reports that one of its lists has changed
 */
export async function openClient(
  options: ClientOptions,
  signal: AbortSignal,
  onListsChanged: (client: Client) => void,
): Promise<OpenClient> {
  const { first, fallback } = await options.transports()
  try {
    return await openWith(first, options, signal, onListsChanged)
  } catch (error) {
    if (!fallback?.when(error)) throw error
    return await openWith(fallback.transport(), options, signal, onListsChanged)
  }
}

async function openWith(
  transport: Transport,
  { version, log, times }: ClientOptions,
  signal: AbortSignal,
  onListsChanged: (client: Client) => void,
): Promise<OpenClient> {
  // No client capabilities, so requests for sampling, roots or input are rejected.
  const client = new Client({ name: 'tizona', title: 'Tizona', version })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  client.onclose = resolve
  client.onerror = (error) => log.add(safeErrorMessage(error))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, data } }) => {
    log.add(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
  })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => onListsChanged(client))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => onListsChanged(client))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => onListsChanged(client))
  try {
    await client.connect(transport, { timeout: times.start, signal })
  } catch (error) {
    await transport.close()
    throw error
  }
  return { client, closed }
}

export interface ServerLists extends ServerContent {
  tools: readonly ServerTool[]
}

/** Lists what a server offers, at most 200 of each kind. Further ones are ignored and reported in the log. */
export async function listServer(
  client: Client,
  options: Pick<ClientOptions, 'log' | 'times'>,
  signal: AbortSignal,
): Promise<ServerLists> {
  // A server without the capability does not answer a list request.
  const tools = client.getServerCapabilities()?.tools ? await listTools(client, options, signal) : []
  return { tools, ...(await listContent(client, options, signal)) }
}

/** `client.listTools` would compile a validator for each output schema, and these schemas are untrusted. */
function listTools(client: Client, options: Pick<ClientOptions, 'log' | 'times'>, signal: AbortSignal) {
  return listPages('tools', options.log, async (cursor) => {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
    const { tools, nextCursor } = await client.request(request, listedTools, {
      timeout: options.times.start,
      signal,
    })
    return { entries: tools.flatMap((tool) => usableTool(tool, options.log) ?? []), nextCursor }
  })
}

/** Checks each tool separately, so that an invalid one does not affect the others. */
const listedTools = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** Removes invalid optional parts of a tool. If the tool cannot be used, logs why and returns undefined. */
function usableTool(given: unknown, log: ServerLog): ServerTool | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  // Output schemas are not used.
  const declared = Object.entries(given).filter(([key, value]) => value !== null && key !== 'outputSchema')
  const { inputSchema, ...rest } = Object.fromEntries<unknown>(declared)
  const schema =
    typeof inputSchema === 'object' && inputSchema !== null && !Array.isArray(inputSchema) ? inputSchema : {}
  // Some servers omit the type at the top level, for example next to `anyOf`. Arguments are always an object.
  const parsed = ToolSchema.safeParse({ ...rest, inputSchema: { ...schema, type: 'object' } })
  if (parsed.success) return parsed.data
  const name = 'name' in rest && typeof rest.name === 'string' ? rest.name : 'without a name'
  const [issue] = parsed.error.issues
  log.add(`The tool "${name}" cannot be used: ${issue?.path.join('.')}: ${issue?.message}. The other tools can.`)
  return undefined
}

/**
 * Creates a function that updates all lists. Calls during an update cause only one more update, so that many
 * notifications cause little work.
 */
export function createLister(
  options: Pick<ClientOptions, 'log' | 'times'>,
  signal: AbortSignal,
  onListed: (lists: ServerLists, client: Client) => void,
): (client: Client) => void {
  const listings = new Throttler()
  return (client) =>
    void listings.queue(() =>
      listServer(client, options, signal)
        .then((lists) => onListed(lists, client))
        .catch((error: unknown) => options.log.add(`The tools could not be listed: ${safeErrorMessage(error)}`)),
    )
}
