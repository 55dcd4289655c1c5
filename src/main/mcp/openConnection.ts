import type { McpDefinition } from '../../shared/tools/mcp.ts'
import { createConnection, type Connection } from './serverConnection.ts'
import { defaultMcpTimeouts, type McpTimeouts } from './mcpTimeouts.ts'
import {
  createHttpTransport,
  createSseTransport,
  httpFailure,
  isLostSession,
  isSseOnlyServer,
} from './httpTransport.ts'
import { createAuthorization } from './oauth/authorization.ts'
import type { SecretAccess } from './oauth/credentials.ts'
import { fillPlaceholders } from './definitionPlaceholders.ts'
import type { ServerLog } from '../base/serverLog.ts'
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
  /** Access to the tokens of a sign-in, and the id of their secret. */
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
