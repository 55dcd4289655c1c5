import type { ApprovalRequest } from './approval.ts'
import type { ContextUse } from './contextUse.ts'
import type { ProfileChoice } from './promptProfile.ts'
import type { Attachment, InstructionSource } from './attachments.ts'
import type { RestoreRecord } from './restore.ts'
import type { Mode, ToolsetName } from './risk.ts'
import type { JobInfo, ToolResult } from './tool.ts'

/** Prompt and answer sizes as the server reported them; `estimated` when it did not. */
export interface Usage {
  promptTokens: number
  completionTokens: number
  /** Completion tokens per second of generation. */
  tokensPerSecond?: number
  estimated?: boolean
}

/** Which model a conversation talks to. */
export interface ModelChoice {
  endpointId: string
  model: string
}

export interface ConversationInfo {
  id: string
  title: string
  createdAt: number
  updatedAt: number
  /** Real path of the workspace it belongs to. */
  workspace: string
  mode: Mode
  /** In mode `plan`: the one to carry the plan out in, where the user chose one before. */
  modeBeforePlan?: Mode
  toolset: ToolsetName
  model?: ModelChoice
  /** How much of the window instructions and tools may take; absent: as the settings say. */
  profile?: ProfileChoice
  /** The conversation it was begun from. */
  forkedFrom?: string
  /** Stands before the others in lists. */
  pinned?: boolean
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationInfo {
  /** What was said, around the first of the words that were looked for. */
  excerpt?: string
}

/** A file of which the model was told that it changed by another hand. */
export interface ChangedFile {
  /** Relative to the workspace. */
  path: string
  /** When it changed, in milliseconds since the epoch; 0: it is gone. */
  at: number
}

export type ToolCallState = 'streaming' | 'approval' | 'running' | 'done' | 'failed' | 'refused' | 'cancelled'

export interface UserItem {
  id: string
  kind: 'user'
  at: number
  text: string
  /** The conversation's mode when it was sent; where it changed, the model is told below the text. */
  mode?: Mode
  /** Files that changed after the model had read them, told below the text. */
  changedFiles?: ChangedFile[]
  /** Typed while a turn ran and delivered between its calls. */
  steered?: true
  /** Written by Tizona to get a model going that stopped half-way (agent/guards/). */
  nudge?: true
  /** What its mentions named, and its pictures. */
  attachments?: Attachment[]
  /** Of the files, taken before the first change that followed; absent while nothing was changed. */
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
  /** What filled the window when it was asked for. */
  context?: ContextUse
}
export interface ToolItem {
  /** Also the call's id everywhere outside the model's own messages: approvals, progress, full results. */
  id: string
  kind: 'tool'
  at: number
  /** The assistant item whose turn asked for it. */
  assistantId: string
  /** The id the model gave the call (or we gave it). */
  callId: string
  name: string
  /** As the model wrote them, JSON text. */
  arguments: string
  state: ToolCallState
  result?: ToolResult
  /** While it waits. */
  approval?: ApprovalRequest
  /** The user took the edit back. */
  undone?: boolean
  /** While or after a command runs. */
  job?: JobInfo
  /** When its result came; approvals that were waited for included. */
  endedAt?: number
  /** Characters of the result that requests carry, 0: only a note in its place; absent: all. The panel shows the whole. */
  keep?: number
  /** The file changed after this read; said where its result stood. */
  stale?: boolean
  /** Files that changed after the model had read them, told below the result. */
  changedFiles?: ChangedFile[]
  /** What a guard says of the call to the model, told below the result. */
  warning?: string
}
export interface NoticeItem {
  id: string
  kind: 'notice'
  at: number
  level: 'info' | 'warning' | 'error'
  text: string
  /** What the user can do, e.g. "continue" after the turn limit. */
  action?: 'continue' | 'retry' | 'settings' | 'contextSize' | 'undoRestore'
  /** What it is about, where it is said once in a conversation. */
  cause?: 'promptCut' | 'toolsAsText' | 'refitted'
  /** It tells of going back to an earlier message. */
  restore?: RestoreRecord
}
/** Instructions, rules and skills of the workspace and the user, as the model was told them. */
export interface InstructionsItem {
  id: string
  kind: 'instructions'
  at: number
  /** Stands in the system prompt, for the conversation began with it; others stand behind the message before them. */
  start: boolean
  /** As the model reads it. */
  text: string
  sources: InstructionSource[]
}
/** Stands for everything before it in what the model reads; the items themselves stay in the conversation. */
export interface SummaryItem {
  id: string
  kind: 'summary'
  at: number
  /** All that the model reads in their place. */
  text: string
  /** The part of it that tells what happened; the next summary goes on from it. */
  account: string
  /** The last item it stands for. */
  upTo: string
  /** What a request took before, and after. */
  tokensBefore: number
  tokensAfter: number
  /** `facts`: put together by Tizona alone, because the model gave no usable summary. */
  by: 'model' | 'facts'
  /** Why the model gave none. */
  problem?: string
}
export type ConversationItem = UserItem | AssistantItem | ToolItem | NoticeItem | InstructionsItem | SummaryItem

/** A message that was typed while a turn ran. */
export interface QueuedMessage {
  id: string
  text: string
  /** To be delivered between the turn's calls, not after it. */
  steer?: boolean
  /** What it carries, as it stood when it was typed. */
  attachments?: Attachment[]
}

export interface ConversationSnapshot {
  info: ConversationInfo
  items: ConversationItem[]
  /** A turn is under way. */
  running: boolean
  /** Messages that wait, in their order. */
  queue: QueuedMessage[]
}

export const exportFormats = ['markdown', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

/**
 * How a turn ended. `approval_needed`: a call had to be asked and nobody could answer. `stuck`: the model went round in a circle.
 * `failed`: an error inside Tizona, e.g. its store.
 */
export type TurnOutcome =
  | 'done'
  | 'turn_limit'
  | 'stuck'
  | 'cancelled'
  | 'endpoint_failed'
  | 'approval_needed'
  | 'failed'
