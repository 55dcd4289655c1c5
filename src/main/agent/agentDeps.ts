import type { Features } from '../base/features.ts'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { PromptProfile } from '../../shared/agent/promptProfile.ts'
import type { ToolsetName } from '../../shared/tools/risk.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { ConversationStore } from '../history/conversations.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Instructions } from '../instructions/instructions.ts'
import type { EnergyMeter } from '../model/energyMeter.ts'
import type { ChatTool, ModelClient } from '../model/modelClient.ts'
import type { PromptCache } from '../model/slots/promptCache.ts'
import type { TokenCounter } from '../model/tokens/tokenCounter.ts'
import type { GuidedCalibration } from '../model/endpoints/guidedCalls.ts'
import type { GuidedFolder } from './guided/guidedFolder.ts'
import type { ExternalAgentDeps, SharedAgentDeps } from './external/externalAgentDeps.ts'
import type { Emit } from './conversation/transcript.ts'

/** A model that is ready for a turn. */
export interface ReadyModel {
  client: ModelClient
  /** In tokens; undefined if unknown. */
  contextWindow?: number
  /** Counts tokens for this model on its server. All conversations with the model share it. */
  tokens: TokenCounter
  /** Calibration of a model that works in guided turns (guided/). Absent: it calls tools itself. */
  guided?: GuidedCalibration
  /** What the server keeps of the prompts of conversations. */
  cache?: PromptCache
  /** Whether a conversation has already sent a prompt that the server may have cached. Default: no. */
  hasPrompt?(): boolean
}

export interface AgentDeps extends SharedAgentDeps {
  store: ConversationStore
  emit: Emit
  settings(): Settings
  /** Resolves once pending settings changes are in effect, so that a turn uses what the user chose before it. */
  settingsApplied?(): Promise<void>
  /** Starts to prepare the sandbox of commands in the open folder. */
  prepareCommands?(): void
  /** Records that a turn reads content from outside. @param source as in "read the web page …" */
  onOutsideContent(conversationId: string, source: string): void
  /** Returns the name of the model behind an alias, if its server reports it. */
  originalName?(choice: ModelChoice): string | undefined
  /** Whether a model supports images; undefined if unknown. */
  supportsImages(choice: ModelChoice): boolean | undefined
  /** Returns the instructions of the open folder and of the user. @throws ToolError `no_workspace` */
  instructions(): Instructions
  /** Returns a meter for a turn; undefined if the model's server is on another machine. */
  energyMeter?(choice: ModelChoice): EnergyMeter | undefined
  /** Connects to a model. @throws ModelError if the endpoint no longer exists */
  model(choice: ModelChoice, signal: AbortSignal): Promise<ReadyModel>
  /**
   * Finds one of the user's models by its name: on the server of another one, or on a server of this machine. Waits for
   * servers that were not asked yet. @throws AbortError
   */
  namedModel?(name: string, near: ModelChoice, signal: AbortSignal): Promise<ModelChoice | undefined>
  /** Returns the name of a model's server, as the user gave it. */
  serverName?(choice: ModelChoice): string | undefined
  /** Returns the model for new conversations; undefined if none is known. */
  defaultModel(): ModelChoice | undefined
  /** Returns why there is no default model, and what to do. */
  noModelReason(): { message: string; next: string }
  /** Returns a warning if prompt and tools do not fit the model's context window. */
  promptSizeWarning(
    choice: ModelChoice,
    ready: ReadyModel,
    system: string,
    tools: ChatTool[],
    message: string,
  ): string | undefined
  /** Returns the tools to send to a model: the toolset's, reduced to the profile, and tools of MCP servers. */
  chatTools(toolset: ToolsetName, profile: PromptProfile): ChatTool[]
  /**
   * Starts the MCP servers. With a window only a warm-up waits for them, for a limited time; a turn does not.
   * @returns messages about servers whose tools are missing
   */
  toolsReady?(signal: AbortSignal, purpose: 'turn' | 'warmUp', onWaiting: () => void): Promise<string[]>
  /** Whether a model may be prepared in the background: its server is known, and local unless the user allows others. */
  mayWarmUp?(choice: ModelChoice): Promise<boolean>
  /** The open folder as guided turns see it. Absent: there are no guided turns. */
  guidedFolder?: GuidedFolder
  /** Whether a window shows the conversations. Default: not. */
  windowed?(): boolean
  /** Returns the hooks of the open folder. */
  hooks?(): Pick<Hooks, 'run' | 'reactTo'> | undefined
  /** Runs external agents. Absent: conversations with one cannot continue. */
  externalAgents?: ExternalAgentDeps
  features: Features
}
