import { z } from 'zod'
import { risks, type Risk } from './risk.ts'

/** Characters of a server's name, which stands before its tools' names. */
const serverName = z.string().trim().min(1).max(64)
/** The name of a variable or header: no control characters, no separator of its value. */
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of an environment variable')
  .max(256)
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'is not the name of a header')
  .max(256)
const text = z.string().max(32_768)
const headerValue = text.refine((value) => !/[\r\n\0]/.test(value), 'holds a line break')

/** How a server is started: a program without a shell, speaking MCP over its standard input and output. */
export const mcpCommandSchema = z.object({
  type: z.literal('stdio'),
  command: z.string().trim().min(1).max(4096),
  args: z.array(text).max(200).default([]),
  /** May hold `${env:NAME}`, `${input:NAME}` and `${workspaceFolder}`, as `args` may. */
  env: z.record(variableName, text).refine(isShort, 'has more than 100 variables').default({}),
})

/** Where a server is reached: streamable HTTP, or the older SSE where it speaks nothing else. */
export const mcpAddressSchema = z.object({
  type: z.literal('http'),
  url: z
    .string()
    .max(4096)
    .refine(isPlainAddress, 'is not an http or https address without user name and placeholders'),
  /** May hold `${env:NAME}` and `${input:NAME}`. */
  headers: z.record(headerName, headerValue).refine(isShort, 'has more than 100 headers').default({}),
})

/**
 * A server's definition. Read as people and other programs write it, `{ command, args, env }` or `{ url, headers }`, where the
 * kind need not be named; fields that are not known are dropped.
 */
export const mcpDefinitionSchema = z.preprocess(
  withType,
  z.discriminatedUnion('type', [mcpCommandSchema, mcpAddressSchema]),
)
export type McpDefinition = z.output<typeof mcpDefinitionSchema>

/** What the user decided of a server, and of its tools by the server's own names for them. */
export const mcpChoiceSchema = z.object({
  off: z.boolean().default(false),
  tools: z
    .record(
      z.string().max(1000),
      z.object({
        off: z.boolean().default(false),
        /** Instead of the risk Tizona gives it; holds while the tool is described as it was (`fingerprint`). */
        risk: z.enum(risks).optional(),
        fingerprint: z.string().max(100).optional(),
      }),
    )
    .default({}),
})
export type McpChoice = z.output<typeof mcpChoiceSchema>

/** Of the settings: the user's own servers by name, and the choices by a server's key. */
export const mcpSettingsSchema = z.object({
  servers: z.record(serverName, mcpDefinitionSchema).default({}),
  choices: z.record(z.string().max(200), mcpChoiceSchema).default({}),
})
export type McpSettings = z.output<typeof mcpSettingsSchema>

/**
 * `untrusted`: named by the workspace and not decided yet; `refused`: decided against. `idle`: starts when a folder is opened, or,
 * without a window, when it is needed.
 */
export type McpServerState = 'idle' | 'off' | 'untrusted' | 'refused' | 'starting' | 'connected' | 'failed'

/** A server as a window shows it. */
export interface McpServerStatus {
  /** Stands for the server in requests: `user:NAME`, or the hash that trust is bound to. */
  key: string
  name: string
  origin: 'user' | 'workspace'
  /** Which of the workspace's files names it. */
  file?: string
  definition: McpDefinition
  /** The definition that was decided about before, where this one is another. */
  before?: McpDefinition
  state: McpServerState
  /** Why it is not connected, or is started again. */
  problem?: string
  /** The last lines of what it wrote to standard error, and what Tizona had to say about it. */
  log: string[]
  /** The secrets its definition names, `${input:NAME}`. */
  inputs: { name: string; stored: boolean }[]
  tools: McpToolStatus[]
}

/** A tool of a server as a window shows it. */
export interface McpToolStatus {
  /** `server__tool`, as models know it. */
  name: string
  /** As the server calls it. */
  tool: string
  title: string
  /** As the server gave it: for people to read, hidden characters and all. */
  description: string
  /** What holds now. */
  risk: Risk
  /** What Tizona gives it: the user may lower it. */
  ownRisk: Risk
  off: boolean
  fingerprint: string
}

export interface McpState {
  servers: McpServerStatus[]
  /** What is wrong with the workspace's own definitions. */
  problems: string[]
}

/** The names in `${input:NAME}` of a definition, each once. */
export function inputNames(definition: McpDefinition): string[] {
  const texts =
    definition.type === 'stdio'
      ? [...definition.args, ...Object.values(definition.env)]
      : Object.values(definition.headers)
  return [
    ...new Set(texts.flatMap((each) => [...each.matchAll(/\$\{input:([^{}]+)\}/g)].flatMap(([, name]) => name ?? []))),
  ]
}

/** What is wrong with a definition that its schema refused, in sentences. */
export function definitionProblems({ issues }: z.ZodError): string {
  return issues
    .map((issue) => {
      if (issue.code === 'invalid_union') return 'It names neither a "command" nor a "url".'
      const [inner = issue] = issue.code === 'invalid_key' ? issue.issues : []
      return `"${issue.path.join('.')}" ${inner.message}.`
    })
    .join(' ')
}

function withType(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // `type` is `sse`, `streamable-http` and others in other programs' files: what is named beside it says enough.
  if ('url' in value && !('command' in value)) return { ...value, type: 'http' }
  return 'command' in value ? { ...value, type: 'stdio' } : value
}

function isShort(record: object): boolean {
  return Object.keys(record).length <= 100
}

function isPlainAddress(address: string): boolean {
  const url = URL.parse(address)
  return (
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    !address.includes('${')
  )
}
