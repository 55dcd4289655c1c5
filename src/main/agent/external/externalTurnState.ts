import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import type { UserItem } from '../../../shared/agent/conversation.ts'
import type { AgentDeps } from '../agentDeps.ts'
import type { Checkpointing } from '../checkpointing.ts'
import type { TurnConversation } from '../turn.ts'
import type { AgentCards } from './agentCards.ts'
import type { AgentTerminals } from './agentTerminals.ts'
import type { ExternalAgentDeps } from './externalAgentDeps.ts'
import type { ReturnedTexts } from './returnedTexts.ts'
import type { SeenWrites } from './seenWrites.ts'

/** A turn of an external agent. */
export interface ExternalTurn {
  deps: AgentDeps
  external: ExternalAgentDeps
  conversation: TurnConversation
  definition: AgentDefinition
  message: UserItem
  checkpointing: Checkpointing
  cards: AgentCards
  terminals: AgentTerminals
  seenWrites: SeenWrites
  texts: ReturnedTexts
  signal: AbortSignal
  /** Aborted at the end of the turn, too: nobody waits for the answer to a request any more. */
  requestSignal: AbortSignal
  /** Requests of the agent that run. */
  running: Set<Promise<unknown>>
}
