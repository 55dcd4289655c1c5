import type { McpDefinition } from '../../shared/mcp.ts'
import { createConnection, defaultMcpTimeouts, type Connection, type McpTimeouts } from './serverConnection.ts'
import { createHttpTransport, createSseTransport, httpFailure, isLostSession, speaksSseOnly } from './httpTransport.ts'
import { fillPlaceholders } from './placeholders.ts'
import type { ServerLog } from './serverLog.ts'
import { createStdioTransport, type ProcessEnding } from './stdioTransport.ts'

interface OpenOptions {
  name: string
  definition: McpDefinition
  /** Real path, for `${workspaceFolder}`. */
  workspace: string
  /** Where a process runs. */
  cwd: string
  version: string
  environment: NodeJS.ProcessEnv
  /** A stored secret by the name in `${input:NAME}`. */
  input(name: string): Promise<string | undefined>
  processes: ProcessEnding
  times?: McpTimeouts
  log: ServerLog
  onChanged(): void
}

/**
 * Starts or reaches a server as its definition says. Placeholders are filled in anew for each attempt, and here only: for a server
 * that may be started. This file brings the protocol's library; it is loaded when the first server is.
 */
export function openConnection(options: OpenOptions): Connection {
  const { definition, workspace, cwd, environment, input, processes, times = defaultMcpTimeouts, ...rest } = options
  const { log } = rest
  return createConnection({
    ...rest,
    times,
    explain: httpFailure,
    isLost: isLostSession,
    async transports() {
      const filled = await fillPlaceholders(definition, { workspaceFolder: workspace, environment, input })
      if (filled.type === 'stdio') return { first: createStdioTransport({ definition: filled, cwd, log, processes }) }
      const fallback = { when: speaksSseOnly, transport: () => createSseTransport(filled, log) }
      return { first: createHttpTransport(filled, log), fallback }
    },
  })
}
