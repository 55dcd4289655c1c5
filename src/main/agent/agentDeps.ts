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

/** What a conversation needs of a model before a turn. */
export interface ReadyModel {
  client: ModelClient
  /** Tokens, when known. */
  contextWindow?: number
  /** Of this model on its server; shared by all conversations with it. */
  tokens: TokenCounter
}

export interface AgentDeps {
  store: ConversationStore
  executor: Executor
  emit: Emit
  settings(): Settings
  /** Real path of the open folder. Throws `no_workspace`. */
  root(): string
  /** Of the open folder. Throws `no_workspace`. */
  checkpoints(): Checkpoints
  images: Images
  /** Whether a model takes pictures; undefined where nobody knows. */
  sees(choice: ModelChoice): boolean | undefined
  /** Of the open folder and its user. Throws `no_workspace`. */
  instructions(): Instructions
  /** Throws ModelError when the endpoint is gone. */
  model(choice: ModelChoice, signal: AbortSignal): Promise<ReadyModel>
  /** The model to begin a conversation with, when one is known. */
  defaultModel(): ModelChoice | undefined
  /** A sentence when prompt and tools will not fit the model's window. */
  fitWarning(
    choice: ModelChoice,
    ready: ReadyModel,
    system: string,
    tools: ChatTool[],
    message: string,
  ): string | undefined
  /** What a model is offered of a toolset and of the tools beside it. */
  chatTools(toolset: ToolsetName, profile: PromptProfile): ChatTool[]
  /** Waits for tools that come from elsewhere (MCP servers), for a while. @returns what is wrong with them, in words */
  toolsReady?(signal: AbortSignal, onWaiting: () => void): Promise<string[]>
  /** Whether somebody can answer an approval. */
  attended(): boolean
  features: Features
}
