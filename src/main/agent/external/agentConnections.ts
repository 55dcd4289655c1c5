import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import type { AgentConnection } from '../../acp/agentTypes.ts'

/** The session of an external agent for one conversation. */
export interface AgentSession {
  connection: AgentConnection
  id: string
  /** Whether the agent knows the earlier messages of the conversation. */
  continued: boolean
  /** Whether the agent was started for this turn. */
  started: boolean
  /** Must be called at the end of the turn. Until then, the agent is not stopped to make room for another one. */
  release(): void
}

/** The running external agents, one per conversation that uses one. */
export interface AgentConnections {
  /**
   * Returns the session of a conversation. Starts the agent if it is not running.
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

/** Maximum number of running agents. The least recently used one without a turn is stopped first. */
export const maxRunning = 4

export function createAgentConnections(
  connect: (definition: AgentDefinition, signal: AbortSignal) => Promise<AgentConnection>,
): AgentConnections {
  /** Ordered by last use. */
  const sessions = new Map<string, Omit<AgentSession, 'release' | 'started'> & { definition: AgentDefinition }>()
  /** Conversations with a turn. */
  const inTurn = new Set<string>()

  async function close(conversationId: string): Promise<void> {
    const session = sessions.get(conversationId)
    sessions.delete(conversationId)
    await session?.connection.close()
  }

  /** Stops several if more than `maxRunning` turns ran at the same time. */
  async function makeRoom(): Promise<void> {
    const idle = [...sessions.keys()].filter((id) => !inTurn.has(id))
    await Promise.all(idle.slice(0, Math.max(sessions.size - maxRunning, 0)).map(close))
  }

  function begun(
    conversationId: string,
    session: Omit<AgentSession, 'release' | 'started'>,
    started: boolean,
  ): AgentSession {
    inTurn.add(conversationId)
    return { ...session, started, release: () => void inTurn.delete(conversationId) }
  }

  return {
    async open(conversationId, definition, earlier, signal) {
      const known = sessions.get(conversationId)
      const usable = known?.connection.isOpen() && JSON.stringify(known.definition) === JSON.stringify(definition)
      if (known && usable) {
        sessions.delete(conversationId)
        sessions.set(conversationId, known)
        return begun(conversationId, { ...known, continued: true }, false)
      }
      await close(conversationId)
      const connection = await connect(definition, signal)
      try {
        const session = { connection, definition, ...(await connection.openSession(earlier, signal)) }
        sessions.set(conversationId, session)
        const started = begun(conversationId, session, true)
        await makeRoom()
        return started
      } catch (error) {
        inTurn.delete(conversationId)
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
