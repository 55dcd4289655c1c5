import type { AgentDefinition } from '../../../shared/agents.ts'
import type { AgentConnection } from '../../acp/agentConnection.ts'

/** The session of an external agent for one conversation. */
export interface AgentSession {
  connection: AgentConnection
  id: string
  /** Whether the agent knows the earlier messages of the conversation. */
  continued: boolean
}

/** The running external agents, one per conversation that uses one. */
export interface AgentConnections {
  /**
   * Returns the session of a conversation, and starts the agent if it does not run.
   * @param earlier id of the stored session
   * @throws ToolError if the agent cannot be started
   */
  open(
    conversationId: string,
    definition: AgentDefinition,
    earlier: string | undefined,
    signal: AbortSignal,
  ): Promise<AgentSession>
  close(conversationId: string): Promise<void>
  closeAll(): Promise<void>
}

/** Maximum number of agents that run. The least recently used one is ended first. */
const maxRunning = 4

export function createAgentConnections(
  connect: (definition: AgentDefinition, signal: AbortSignal) => Promise<AgentConnection>,
): AgentConnections {
  /** Ordered by last use. */
  const sessions = new Map<string, AgentSession & { definition: AgentDefinition }>()

  async function close(conversationId: string): Promise<void> {
    const session = sessions.get(conversationId)
    sessions.delete(conversationId)
    await session?.connection.close()
  }

  return {
    async open(conversationId, definition, earlier, signal) {
      const known = sessions.get(conversationId)
      const usable = known?.connection.isOpen() && JSON.stringify(known.definition) === JSON.stringify(definition)
      if (known && usable) {
        sessions.delete(conversationId)
        sessions.set(conversationId, known)
        return { ...known, continued: true }
      }
      await close(conversationId)
      const connection = await connect(definition, signal)
      try {
        const session = { connection, definition, ...(await connection.openSession(earlier, signal)) }
        sessions.set(conversationId, session)
        const [oldest] = sessions.keys()
        if (sessions.size > maxRunning && oldest !== undefined) await close(oldest)
        return session
      } catch (error) {
        await connection.close()
        throw error
      }
    },
    close,
    async closeAll() {
      await Promise.all([...sessions.keys()].map(close))
    },
  }
}
