import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { workspacePath } from './workspacePath.ts'
import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import type { UserItem } from '../../../shared/agent/conversation.ts'
import type { Checkpointing } from '../conversation/checkpointing.ts'
import type { TurnConversation } from '../conversation/transcript.ts'
import type { AgentCards } from './agentCards.ts'
import type { AgentTerminals } from './agentTerminals.ts'
import type { ExternalAgentDeps, SharedAgentDeps } from './externalAgentDeps.ts'
import type { ReturnedTexts } from './returnedTexts.ts'

/** A turn of an external agent. */
export interface ExternalTurn {
  deps: SharedAgentDeps
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
  /** Also aborted at the end of the turn, when nobody waits for responses any more. */
  requestSignal: AbortSignal
  /** The agent's running requests. */
  running: Set<Promise<unknown>>
}

/** A change that a card has shown as a diff. */
interface ShownChange {
  /** As the agent reported it; the file may differ. */
  oldText: string
  newText: string
}

/** File changes that the user has seen and allowed. Each is valid for one write. */
interface SeenWrites {
  /** Records a change that the user has allowed. */
  allow(path: string, change: ShownChange): void
  /**
   * Whether the user has seen and allowed writing this content to a file. The card shows a diff against the text that
   * the agent reported, so the file must still contain that text.
   */
  take(path: string, content: string, signal: AbortSignal): Promise<boolean>
}

export function createSeenWrites(workspace: WorkspaceRoots, currentText: ExternalAgentDeps['currentText']): SeenWrites {
  const allowed = new Map<string, ShownChange>()
  return {
    allow: (path, change) => void allowed.set(workspacePath(workspace, path), change),
    async take(path, content, signal) {
      const file = workspacePath(workspace, path)
      const change = allowed.get(file)
      allowed.delete(file)
      if (change?.newText !== content) return false
      const current = await currentText(path, signal)
      // Some agents have already written the file themselves.
      return (
        current !== undefined && [change.oldText, content].map(withLineFeeds).includes(withLineFeeds(current ?? ''))
      )
    },
  }
}

const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n')
