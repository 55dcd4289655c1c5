import { z } from 'zod'
import { risks, type Risk } from './risk.ts'

/** A server's name, which prefixes the names of its tools. */
const serverName = z.string().trim().min(1).max(64)
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Not a valid environment variable name')
  .max(256)
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'Not a valid header name')
  .max(256)
const text = z.string().max(32_768)
const headerValue = text.refine((value) => !/[\r\n\0]/.test(value), 'Contains a line break')

/** A server that Tizona starts as a child process, without a shell, and talks to over stdio. */
const mcpCommandSchema = z.object({
  type: z.literal('stdio'),
  command: z.string().trim().min(1).max(4096),
  args: z.array(text).max(200).default([]),
  /** Values may contain `${env:NAME}`, `${input:NAME}` and `${workspaceFolder}`, like `args`. */
  env: z.record(variableName, text).refine(hasFewEntries, 'More than 100 variables').default({}),
})

/** A server at a URL. The transport is streamable HTTP, or SSE for older servers. */
const mcpUrlSchema = z.object({
  type: z.literal('http'),
  url: z.string().max(4096).refine(isPlainUrl, 'Not an http or https URL, or it contains credentials or placeholders'),
  /** Values may contain `${env:NAME}` and `${input:NAME}`. */
  headers: z.record(headerName, headerValue).refine(hasFewEntries, 'More than 100 headers').default({}),
  /** A client registration for the sign-in, for authorization servers without dynamic registration. */
  oauth: z
    .object({
      clientId: z.string().trim().min(1).max(1000),
      /** Port of the registered redirect address `http://127.0.0.1:PORT/callback`. Default: any free port. */
      callbackPort: z.number().int().min(1).max(65_535).optional(),
    })
    .optional(),
})

/**
 * A server's definition: `{ command, args, env }` or `{ url, headers }`. Accepts the configuration files of other
 * programs: `type` is optional, and unknown fields are ignored.
 */
export const mcpDefinitionSchema = z.preprocess(
  withType,
  z.discriminatedUnion('type', [mcpCommandSchema, mcpUrlSchema]),
)
export type McpDefinition = z.output<typeof mcpDefinitionSchema>

/** The user's choices for a server and its tools. The keys of `tools` are the server's own tool names. */
const mcpChoiceSchema = z.object({
  off: z.boolean().default(false),
  tools: z
    .record(
      z.string().max(1000),
      z.object({
        off: z.boolean().default(false),
        /** Overrides the assessed risk as long as the tool's description matches `fingerprint`. */
        risk: z.enum(risks).optional(),
        fingerprint: z.string().max(100).optional(),
      }),
    )
    .default({}),
})
export type McpChoice = z.output<typeof mcpChoiceSchema>

/** The `mcp` setting: the user's servers by name, and the choices by server key (`McpServerStatus.key`). */
export const mcpSettingsSchema = z.object({
  servers: z.record(serverName, mcpDefinitionSchema).default({}),
  choices: z.record(z.string().max(200), mcpChoiceSchema).default({}),
})
export type McpSettings = z.output<typeof mcpSettingsSchema>

/**
 * `restricted`: defined by the workspace, whose folder the user does not trust. `untrusted`: defined by a trusted
 * workspace, but the user has not decided about this definition yet. `refused`: the user refused it. `idle`: starts
 * when a folder is opened or, without a window, when a tool needs it.
 */
export type McpServerState =
  | 'idle'
  | 'off'
  | 'restricted'
  | 'untrusted'
  | 'refused'
  | 'starting'
  | 'connected'
  | 'failed'

/** Who defines a server. */
export type McpOrigin = 'user' | 'workspace' | 'plugin'

/** State of a server for the window. */
export interface McpServerStatus {
  /** Identifies the server in requests: `user:NAME`, `plugin:PLUGIN:NAME`, or a hash of a workspace's definition. */
  key: string
  name: string
  origin: McpOrigin
  /** The workspace file that defines it. */
  file?: string
  /** Name of the plug-in that brings it. */
  plugin?: string
  definition: McpDefinition
  /** The definition that the user last decided about, if it has changed since. */
  before?: McpDefinition
  /** Workspace files that the server starts and that changed since the user trusted it. */
  changedFiles?: string[]
  state: McpServerState
  /** Why the server is not connected, or why it is restarting. */
  problem?: string
  /** Latest lines: the server's standard error and Tizona's messages. */
  log: string[]
  /** Secrets that the definition references as `${input:NAME}`. */
  inputs: { name: string; stored: boolean }[]
  tools: McpToolStatus[]
  /** Absent if there are none. */
  prompts?: McpPrompt[]
  resources?: McpResource[]
  signIn?: McpSignIn
}

/** A server's prompt, which the chat offers as a slash command. Texts are cleaned and truncated. */
export interface McpPrompt {
  /** Name of the slash command, without the slash: `server__prompt`. */
  command: string
  /** The server's name for the prompt. */
  name: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
}

/** A server's resource, which messages attach as `@mcp:SERVER/URI`. Texts are cleaned and truncated. */
export interface McpResource {
  /** For a template, a URI with placeholders in braces (RFC 6570). */
  uri: string
  name: string
  description: string
  template: boolean
}

/**
 * `required`: the server refuses requests until the user signs in. `waiting`: the sign-in page is open, at `page` once
 * it is known.
 */
export type McpSignIn = { state: 'required' } | { state: 'waiting'; page?: string } | { state: 'signedIn' }

/** What the user confirms before a browser opens. */
export interface McpSignInQuestion {
  /** Host of the sign-in page. */
  host: string
  /** Host of the MCP server that the tokens are for. */
  server: string
  /** Permissions that the server requests. */
  scopes: string[]
}

export interface McpToolStatus {
  /** Name for models: `server__tool`. */
  name: string
  /** The server's name for the tool. */
  tool: string
  title: string
  /** Description from the server, unmodified. May contain hidden characters. */
  description: string
  /** Risk used for approval: the user's choice, or else the assessed risk. */
  risk: Risk
  /** Risk assessed by Tizona. The user can override it. */
  ownRisk: Risk
  off: boolean
  fingerprint: string
}

export interface McpState {
  servers: McpServerStatus[]
  /** Problems in the workspace's definitions. */
  problems: string[]
}

/** Explains why the schema rejected a definition. */
export function definitionProblems({ issues }: z.ZodError): string {
  return issues
    .map((issue) => {
      if (issue.code === 'invalid_union') return 'It has neither a "command" nor a "url".'
      const [inner = issue] = issue.code === 'invalid_key' ? issue.issues : []
      return `"${issue.path.join('.')}": ${inner.message}.`
    })
    .join(' ')
}

function withType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // Ignore `type`, because other programs write values such as `sse` or `streamable-http`.
  if ('url' in value && !('command' in value)) return { ...value, type: 'http' }
  return 'command' in value ? { ...value, type: 'stdio' } : value
}

function hasFewEntries(record: object): boolean {
  return Object.keys(record).length <= 100
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    !text.includes('${')
  )
}
