import { z } from 'zod'
import { request, noParams, id } from '../requestType.ts'
import { mcpDefinitionSchema, type McpSignInQuestion, type McpState } from './mcp.ts'
import { risks } from './risk.ts'

const mcpName = z.string().trim().min(1).max(64)
const mcpSecrets = z.record(z.string().min(1).max(256), z.string().max(32_768).nullable())

export const mcpRequests = {
  /** Returns the state of the user's and the folder's MCP servers. Later changes arrive as `mcp.changed`. */
  'mcp.state': request<McpState>()(() => noParams),
  /**
   * Adds or changes one of the user's servers. `previous`: its old name. `secrets`: values by `${input:NAME}`; null
   * deletes one.
   */
  'mcp.save': request<McpState>()(() =>
    z.object({
      name: mcpName,
      previous: mcpName.optional(),
      definition: mcpDefinitionSchema,
      secrets: mcpSecrets.default({}),
    }),
  ),
  'mcp.remove': request<McpState>()(() => z.object({ name: mcpName })),
  /**
   * Stores the user's decision. `key`: identifies the definition that the user saw.
   * @throws conflict if it has changed
   */
  'mcp.trust': request<McpState>()(() => z.object({ key: id, trusted: z.boolean() })),
  'mcp.setSecrets': request<McpState>()(() => z.object({ key: id, secrets: mcpSecrets })),
  'mcp.setOff': request<McpState>()(() => z.object({ key: id, off: z.boolean() })),
  /**
   * Changes the choices for a tool. `risk: null`: use the assessed risk. `fingerprint`: identifies the tool description
   * that the user saw.
   */
  'mcp.setTool': request<McpState>()(() =>
    z.object({
      key: id,
      tool: z.string().max(1000),
      off: z.boolean().optional(),
      risk: z.enum(risks).nullable().optional(),
      fingerprint: z.string().max(100),
    }),
  ),
  'mcp.restart': request<McpState>()(() => z.object({ key: id })),
  /** Finds a server's sign-in page without opening it. */
  'mcp.findSignIn': request<McpSignInQuestion>()(() => z.object({ key: id })),
  /**
   * Opens the sign-in page in the browser, and returns when the user has signed in. `host`: the host that the user saw.
   * @throws refused if the page now has another host
   */
  'mcp.signIn': request<McpState>()(() => z.object({ key: id, host: z.string().min(1).max(300) })),
  'mcp.cancelSignIn': request<McpState>()(() => z.object({ key: id })),
  'mcp.signOut': request<McpState>()(() => z.object({ key: id })),
  /** Returns the text of a server's prompt for the user to review. `command`: from `McpPrompt`. */
  'mcp.prompt': request<string>()(() =>
    z.object({ command: z.string().min(1).max(200), args: z.record(z.string().max(1000), z.string().max(100_000)) }),
  ),
} as const
