import { ToolError } from '../../shared/errors.ts'
import type { McpDefinition } from '../../shared/tools/mcp.ts'
import type { ServerLog } from '../base/serverLog.ts'
import {
  createHttpTransport,
  createSseTransport,
  httpFailure,
  isLostSession,
  isSseOnlyServer,
} from './httpTransport.ts'
import { defaultMcpTimeouts, type McpTimeouts } from './mcpTimeouts.ts'
import { createAuthorization } from './oauth/authorization.ts'
import type { SecretAccess } from './oauth/credentials.ts'
import { createConnection, type Connection } from './serverConnection.ts'
import { createStdioTransport, type ProcessEnding } from './stdioTransport.ts'

interface OpenOptions {
  name: string
  definition: McpDefinition
  /** Real path, for `${workspaceFolder}`. */
  workspace: string
  /** Working directory of the process. */
  cwd: string
  version: string
  environment: NodeJS.ProcessEnv
  /** Returns a stored secret by the name in `${input:NAME}`. */
  input(name: string): Promise<string | undefined>
  /** Access to the sign-in's tokens, and the id of their secret. */
  credentials: SecretAccess & { id: string }
  processes: ProcessEnding
  times?: McpTimeouts
  /** Called before each attempt. Throwing a `ToolError` ends the attempts. */
  beforeAttempt(): Promise<void>
  log: ServerLog
  onChanged(): void
}

/**
 * Connects to a trusted server. Resolves placeholders again for each attempt. This module imports the protocol library,
 * so it is loaded with the first server.
 */
export function openConnection(options: OpenOptions): Connection {
  const {
    definition,
    workspace,
    cwd,
    environment,
    input,
    credentials,
    processes,
    times = defaultMcpTimeouts,
    beforeAttempt,
    ...rest
  } = options
  const { log } = rest
  const ended = new AbortController()
  const connection = createConnection({
    ...rest,
    times,
    explain: httpFailure,
    isLost: isLostSession,
    async transports() {
      await beforeAttempt()
      const filled = await fillPlaceholders(definition, { workspaceFolder: workspace, environment, input })
      if (filled.type === 'stdio') return { first: createStdioTransport({ definition: filled, cwd, log, processes }) }
      const ownKey = Object.keys(filled.headers).some((name) => name.toLowerCase() === 'authorization')
      const signIn = ownKey ? undefined : createAuthorization(credentials, credentials.id, filled.url, ended.signal)
      const fallback = { when: isSseOnlyServer, transport: () => createSseTransport(filled, log, signIn) }
      return { first: createHttpTransport(filled, log, signIn), fallback }
    },
  })
  return {
    ...connection,
    close() {
      ended.abort()
      return connection.close()
    },
  }
}

/** Sources of the values for placeholders. */
export interface PlaceholderValues {
  workspaceFolder: string
  /** Tizona's environment. */
  environment: NodeJS.ProcessEnv
  /** Returns a stored secret by the name in `${input:NAME}`. */
  input(name: string): Promise<string | undefined>
}

/**
 * Resolves the placeholders of a trusted definition: `${env:NAME}` or `${NAME}`, `${NAME:-default}`, `${input:NAME}`
 * and `${workspaceFolder}`, as in VS Code's and Claude Code's files. Values never appear in messages.
 * @throws ToolError not_found with the missing name
 */
async function fillPlaceholders(definition: McpDefinition, values: PlaceholderValues): Promise<McpDefinition> {
  const fill = (text: string) => fillText(text, values)
  const fillAll = async (record: Record<string, string>) =>
    Object.fromEntries(
      await Promise.all(Object.entries(record).map(async ([name, value]) => [name, await fill(value)] as const)),
    )
  if (definition.type === 'http') return { ...definition, headers: await fillAll(definition.headers) }
  return { ...definition, args: await Promise.all(definition.args.map(fill)), env: await fillAll(definition.env) }
}

const placeholder = /\$\{(?:(env|input):)?([^{}:]+)(?::-([^{}]*))?\}/g

async function fillText(text: string, values: PlaceholderValues): Promise<string> {
  const parts: string[] = []
  let end = 0
  for (const match of text.matchAll(placeholder)) {
    const [whole, kind, name = '', otherwise] = match
    parts.push(text.slice(end, match.index), await valueOf(kind, name, otherwise, values))
    end = match.index + whole.length
  }
  return [...parts, text.slice(end)].join('')
}

async function valueOf(
  kind: string | undefined,
  name: string,
  otherwise: string | undefined,
  values: PlaceholderValues,
): Promise<string> {
  if (kind === undefined && name === 'workspaceFolder') return values.workspaceFolder
  if (kind === 'input') {
    const secret = await values.input(name)
    if (secret === undefined) {
      throw new ToolError('not_found', `The secret "${name}" is not stored.`, 'Enter it in Settings under MCP servers.')
    }
    return secret
  }
  const value = values.environment[name] ?? otherwise
  if (value === undefined) {
    const next = 'Set it before you start Tizona, or use another one in the definition.'
    throw new ToolError('not_found', `The environment variable ${name} is not set.`, next)
  }
  return value
}
