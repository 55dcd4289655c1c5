import type { ApprovalRequest } from '../tools/approval.ts'
import type { ContextUse } from './contextUse.ts'
import type { ProfileChoice } from './promptProfile.ts'
import type { Attachment, InstructionSource } from './attachments.ts'
import type { RestoreRecord } from '../review/restore.ts'
import type { TurnReview } from '../review/review.ts'
import type { Mode, ToolsetName } from '../tools/risk.ts'
import type { ToolResult } from '../tools/tool.ts'
import type { JobInfo } from '../commands/jobs.ts'

/** Token counts reported by the server, or `estimated`. */
export interface Usage {
  promptTokens: number
  completionTokens: number
  /** Part of the prompt that was in the server's cache, if reported. */
  cachedTokens?: number
  /** Speed of processing the uncached part of the prompt, if reported. */
  promptTokensPerSecond?: number
  /** Speed of generation, without prompt processing. */
  tokensPerSecond?: number
  /** Tokens that speculative decoding drafted, and those of them that the model accepted, if reported. */
  drafted?: { tokens: number; accepted: number }
  estimated?: boolean
}

/** Energy that a machine used. */
export interface Energy {
  wattHours: number
  /** What was measured; everything else is missing. */
  of: ('processor' | 'graphics')[]
}

/** What the requests of a turn took, without the time between them. */
export interface TurnCost {
  requests: number
  promptTokens: number
  completionTokens: number
  seconds: number
  /** Of this machine meanwhile, if it can tell and the model's server is on it. */
  energy?: Energy
}

export interface ModelChoice {
  endpointId: string
  model: string
}

export interface ConversationInfo {
  id: string
  title: string
  createdAt: number
  updatedAt: number
  /** Real path of the workspace. */
  workspace: string
  mode: Mode
  /** In plan mode: the previous mode, which is restored to execute the plan. */
  modeBeforePlan?: Mode
  toolset: ToolsetName
  model?: ModelChoice
  /** Prompt profile. Absent to use the setting. */
  profile?: ProfileChoice
  /** Id of the external agent that answers (settings `agents`). Absent for Tizona's own. */
  agent?: string
  /** Session id at the agent, to continue the conversation after a restart. */
  agentSession?: string
  forkedFrom?: string
  /** Whether the conversation is listed first and never deleted automatically. */
  pinned?: boolean
  /** Whether the sessions view hides the conversation. */
  archived?: boolean
}

export interface ListedConversation extends ConversationInfo {
  /** Text around the first search match. */
  excerpt?: string
}

/** A file that changed outside the conversation after the model had read it. */
export interface ChangedFile {
  /** Relative to the workspace. */
  path: string
  /** Time of the change in milliseconds since the epoch; 0 if the file was deleted. */
  at: number
}

export type ToolCallState = 'streaming' | 'approval' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled'

/** What a message of the user contains besides its own text. */
export interface MessageContent {
  /** Pictures, and the content of mentions at the time of sending. */
  attachments?: Attachment[]
  /** Slash command of the MCP server prompt that began the text. The user may have edited the text since. */
  serverPrompt?: string
}

export interface UserItem extends MessageContent {
  id: string
  kind: 'user'
  at: number
  text: string
  /** Mode when the message was sent. If it changed, a note is appended to the text for the model. */
  mode?: Mode
  /** Files that changed after the model had read them. Appended to the text for the model. */
  changedFiles?: ChangedFile[]
  /** Errors that a language server reported after the previous call had ended. Appended to the text for the model. */
  lateErrors?: string
  /** Whether the hooks of the folder let the message pass, or sent it (`nudge`). Absent if there were none. */
  hooked?: true
  /** Text of hooks. Appended to the text for the model. */
  hookContext?: string
  /** Sent while a turn was running and delivered between its calls. */
  steered?: true
  /** Sent by Tizona to continue a model that stopped early (agent/guards/). */
  nudge?: true
  /** Id of the file checkpoint taken before the first change after this message. Absent if nothing has changed. */
  checkpoint?: number
}
export interface AssistantItem {
  id: string
  kind: 'assistant'
  at: number
  text: string
  reasoning: string
  state: 'streaming' | 'done' | 'stopped' | 'failed'
  usage?: Usage
  model?: string
  /** Whether the text is a numbered list of steps that the user can edit before they run. */
  isStepList?: true
  /** Whether a compaction removed the reasoning from requests. The panel still shows it. */
  reasoningLeftOut?: true
  /** Context use of the request. */
  context?: ContextUse
  /** Files that the turn changed. Only in the last answer of a turn. */
  review?: TurnReview
  /** What the turn took. Only in its last answer. */
  cost?: TurnCost
}
export interface ToolItem {
  /** Also identifies the call in approvals, progress events and requests for full results. */
  id: string
  kind: 'tool'
  at: number
  /** Id of the assistant item that contains the call. */
  assistantId: string
  /** Id of the call in the model's messages. */
  callId: string
  name: string
  /** Arguments as JSON text, unmodified from the model. */
  arguments: string
  /** The dialect if the model wrote the call as text. Absent for a native call. */
  writtenAs?: string
  state: ToolCallState
  result?: ToolResult
  /** Set while the call waits for approval. */
  approval?: ApprovalRequest
  /** Whether the user undid the edit. */
  undone?: boolean
  /** The process of a call that runs a command. */
  job?: JobInfo
  /** Time of the result. The duration includes the wait for approval. */
  endedAt?: number
  /**
   * Maximum characters of the result in requests. 0: a note only. Absent: all. The panel always shows the full result.
   */
  keep?: number
  /** Whether the file changed after this read. A note then replaces the result in requests. */
  stale?: boolean
  /** Files that changed after the model had read them. Appended to the result for the model. */
  changedFiles?: ChangedFile[]
  /** Warning of a guard, appended to the result for the model. */
  warning?: string
  /** What the user undid while the turn was running. Appended to the result for the model. */
  reviewNote?: string
}
export interface NoticeItem {
  id: string
  kind: 'notice'
  at: number
  level: 'info' | 'warning' | 'error'
  text: string
  /** Action that the notice offers as a button. */
  action?: 'continue' | 'retry' | 'settings' | 'contextSize' | 'undoRestore'
  /** Identifies notices that are shown once per conversation. */
  cause?: 'promptCut' | 'toolsAsText' | 'refitted'
  /** The only folder of the window until then. Paths in earlier texts are relative to it. */
  folder?: string
  /** The restore that the notice reports, with the data to undo it. */
  restore?: RestoreRecord
}
/** Instructions, rules and skills of the workspace and the user that were sent to the model. */
export interface InstructionsItem {
  id: string
  kind: 'instructions'
  at: number
  /** Whether the text is part of the system prompt. Otherwise it is appended to the preceding message. */
  start: boolean
  /** Text that is sent to the model. */
  text: string
  sources: InstructionSource[]
  /** Set if the folder was not trusted, so that only the user's own files were included. */
  restricted?: true
}
/** Replaces all items up to `upTo` in requests. The items stay in the conversation. */
export interface SummaryItem {
  id: string
  kind: 'summary'
  at: number
  /** Text that is sent to the model instead of the items. */
  text: string
  /** Section of `text` that describes the work so far. The next summary extends it. */
  account: string
  /** Id of the last replaced item. */
  upTo: string
  /** Size of a request in tokens before and after the summary. */
  tokensBefore: number
  tokensAfter: number
  /** `facts`: Tizona listed calls and files, because the model returned no usable summary. */
  by: 'model' | 'facts'
  /** Why the model returned no usable summary. */
  problem?: string
}
export type ConversationItem = UserItem | AssistantItem | ToolItem | NoticeItem | InstructionsItem | SummaryItem

/** A message that was sent while a turn was running. */
export interface QueuedMessage extends MessageContent {
  id: string
  text: string
  /** Whether to deliver the message between the calls of the turn instead of after it. */
  steer?: boolean
}

export interface ConversationSnapshot {
  info: ConversationInfo
  items: ConversationItem[]
  /** Number of items before these. `conversations.earlier` returns them. */
  earlier?: number
  running: boolean
  /** Set if another process runs the turn. */
  elsewhere?: true
  /** Queued messages in order. */
  queue: QueuedMessage[]
}

/** Items of a conversation that precede those in the window. */
export interface EarlierItems {
  items: ConversationItem[]
  /** Number of items before these. */
  earlier: number
}

/** Number of items that a window receives when it opens a conversation. It renders fewer. */
export const initialItemCount = 200

export const exportFormats = ['markdown', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

/**
 * How a turn ended. `approval_needed`: a call needed approval and no user could answer. `stuck`: the model repeated
 * calls. `repeating`: the model's text repeated itself. `truncated`: the last answer reached its output limit.
 * `failed`: an error in Tizona, e.g. in its store.
 */
export type TurnOutcome =
  | 'done'
  | 'turn_limit'
  | 'stuck'
  | 'repeating'
  | 'truncated'
  | 'cancelled'
  | 'endpoint_failed'
  | 'approval_needed'
  | 'failed'
