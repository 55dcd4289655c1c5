import type { Features } from '../../shared/features.ts'
import type { ModelChoice } from '../../shared/conversation.ts'
import type { PromptProfile } from '../../shared/promptProfile.ts'
import type { ToolsetName } from '../../shared/risk.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Checkpoints } from '../history/checkpoints/checkpoints.ts'
import type { ConversationStore } from '../history/conversations.ts'
import type { Images } from '../history/images.ts'
import type { Instructions } from '../instructions/instructions.ts'
import type { ChatTool, ModelClient } from '../model/clients/modelClient.ts'
import type { TokenCounter } from '../model/tokens/tokenCounter.ts'
import type { Executor } from '../tools/executor.ts'
import type { Emit } from './transcript.ts'

/** A model that is ready for a turn. */
export interface ReadyModel {
  client: ModelClient
  /** Tokens, when known. */
  contextWindow?: number
  /** Token counter of this model on its server, shared by all conversations with it. */
  tokens: TokenCounter
}

export interface AgentDeps {
  store: ConversationStore
  executor: Executor
  emit: Emit
  settings(): Settings
  /** Real path of the open folder. @throws ToolError `no_workspace` */
  root(): string
  /** Checkpoints of the open folder. @throws ToolError `no_workspace` */
  checkpoints(): Checkpoints
  images: Images
  /** Whether a model supports images; undefined if unknown. */
  supportsImages(choice: ModelChoice): boolean | undefined
  /** Instructions of the open folder and of the user. @throws ToolError `no_workspace` */
  instructions(): Instructions
  /** @throws ModelError if the endpoint no longer exists */
  model(choice: ModelChoice, signal: AbortSignal): Promise<ReadyModel>
  /** The model for new conversations, if any is known. */
  defaultModel(): ModelChoice | undefined
  /** A warning if prompt and tools do not fit the model's context window. */
  fitWarning(
    choice: ModelChoice,
    ready: ReadyModel,
    system: string,
    tools: ChatTool[],
    message: string,
  ): string | undefined
  /** The tools that a model gets: those of the toolset that fit the profile, and those of MCP servers. */
  chatTools(toolset: ToolsetName, profile: PromptProfile): ChatTool[]
  /** Waits a limited time for the tools of MCP servers. @returns messages about servers that failed */
  toolsReady?(signal: AbortSignal, onWaiting: () => void): Promise<string[]>
  /** Whether a user can answer approval requests. */
  attended(): boolean
  features: Features
}
