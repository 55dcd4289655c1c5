import { z } from 'zod'
import type { ApprovalDecision, ApprovalRequest } from './approval.ts'
import { maxImageBytes, maxImages, type ImageAttachment } from './attachments.ts'
import type { CodeDefinitions, CodeHover, CodeOutline, CodeReferences, CodeSymbol, IndexProgress } from './code.ts'
import type { ContextUse } from './contextUse.ts'
import {
  exportFormats,
  type ConversationInfo,
  type ConversationItem,
  type ConversationSnapshot,
  type ListedConversation,
  type QueuedMessage,
  type TurnOutcome,
} from './conversation.ts'
import type { EditorAskName, EditorAsks } from './editorRequests.ts'
import type { Failure } from './errors.ts'
import type { RenamePlan } from './symbolRename.ts'
import type {
  FileChange,
  FileEntry,
  FileStamp,
  FolderListing,
  LocatedPath,
  OpenedFile,
  TextFormat,
  TrashOutcome,
} from './files.ts'
import { mcpDefinitionSchema, type McpState } from './mcp.ts'
import { profileChoices } from './promptProfile.ts'
import type { RestorePreview, RestoreResult } from './restore.ts'
import { modes, risks, toolsetNames } from './risk.ts'
import type { PromptCommand } from './promptCommands.ts'
import {
  endpointSchema,
  headerNameSchema,
  settingsChangeSchema,
  type EndpointStatus,
  type Settings,
} from './settings.ts'
import type { CleanUpSummary, StorageSizes } from './storage.ts'
import { textChange } from './textChanges.ts'
import type { FileDiff, JobInfo, Match, ToolInfo, ToolProgress, ToolResult } from './tool.ts'

/**
 * The one protocol between main and a window. `requests` are window -> main, checked with zod in main; `Events` are
 * main -> window; `EditorAsks` (editor.ts) are main -> window and answered. Both shells carry the same envelopes.
 */

/** A request's parameter schema together with the type of its answer. */
interface RequestType<P extends z.ZodType, R> {
  params: P
  result?: R
}
const request =
  <R>() =>
  <P extends z.ZodType>(params: P): RequestType<P, R> => ({ params })
const none = z.object({})
const path = z.string().max(4096)
const id = z.string().min(1).max(200)
/** A place in a file's present text: what is unsaved is mirrored before it is asked about. 1-based, columns in UTF-16 units. */
const textPlace = z.object({ path, line: z.number().int().min(1), column: z.number().int().min(1) })

/** What the user sends: words, with mentions in them (mentions.ts), and pictures that were added before. */
const outgoing = z.object({
  text: z.string().min(1).max(5_000_000),
  /** Mentions that were chosen from a list: they must exist. */
  chosen: z.array(z.string().max(5000)).max(200).optional(),
  images: z
    .array(z.object({ id, label: z.string().max(200) }))
    .max(maxImages)
    .optional(),
})

const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('once'), editedCommand: z.string().max(100_000).optional() }),
  z.object({ kind: z.literal('exact') }),
  z.object({ kind: z.literal('prefix') }),
  z.object({ kind: z.literal('scope') }),
  z.object({ kind: z.literal('refuse'), reason: z.string().max(10_000) }),
]) satisfies z.ZodType<ApprovalDecision>

/**
 * An endpoint as a form sends it; without an id it is new. `key`: absent keeps what is stored, null forgets it. `headerValues`: of the
 * endpoint's `headers`; one that is not named keeps its stored value.
 */
const endpointDraftSchema = z.object({
  endpoint: endpointSchema.partial({ id: true }).extend({
    headerValues: z
      .record(
        headerNameSchema,
        z
          .string()
          .max(10_000)
          .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'Not the value of a header.'),
      )
      .optional(),
  }),
  key: z.string().max(10_000).nullable().optional(),
})

const mcpName = z.string().trim().min(1).max(64)
const mcpSecrets = z.record(z.string().min(1).max(256), z.string().max(32_768).nullable())
export const textFormat = z.object({
  encoding: z.enum(['utf8', 'utf8bom', 'utf16le', 'utf16be']),
  eol: z.enum(['\n', '\r\n']),
})

export const requests = {
  'app.state': request<AppState>()(none),

  'workspace.open': request<WorkspaceInfo>()(z.object({ path })),
  'workspace.close': request<void>()(none),
  /** Electron: the system's folder dialog. Browser shell: rejected, the window shows its own picker over `folders.list`. */
  'workspace.pick': request<string | null>()(none),
  'workspace.forgetRecent': request<void>()(z.object({ path })),
  'workspace.clearRecents': request<void>()(none),
  'folders.list': request<FolderListing>()(z.object({ path: path.optional() })),

  'files.list': request<FileEntry[]>()(z.object({ path })),
  'files.read': request<OpenedFile>()(z.object({ path })),
  /** `stamp`: what the window last saw; rejected with `changed_on_disk` when the file is another by now, unless `force`. */
  'files.write': request<{ stamp: FileStamp }>()(
    z.object({
      path,
      text: z.string(),
      format: textFormat,
      stamp: z.string().optional(),
      force: z.boolean().default(false),
    }),
  ),
  'files.create': request<void>()(z.object({ path, directory: z.boolean().default(false) })),
  'files.move': request<void>()(z.object({ from: path, to: path })),
  /** For good. */
  'files.delete': request<void>()(z.object({ path })),
  /** Into the system's trash, where the host has one (`AppState.hostFeatures`). */
  'files.trash': request<TrashOutcome>()(z.object({ path })),
  /** Shows a file or folder in the system's file manager, where the host can (`AppState.hostFeatures`). */
  'files.reveal': request<void>()(z.object({ path })),
  /** What absolute paths of this machine are: those that were dropped onto the window, or a recent folder. */
  'files.locate': request<LocatedPath[]>()(z.object({ paths: z.array(path).min(1).max(200) })),
  /** Fuzzy file names for quick open, best first. */
  'files.find': request<string[]>()(
    z.object({ query: z.string().max(500), limit: z.number().int().min(1).max(200).default(50) }),
  ),
  'search.text': request<{ matches: Match[]; total: number; truncated: boolean }>()(
    z.object({
      query: z.string().min(1).max(10_000),
      regex: z.boolean().default(false),
      caseSensitive: z.boolean().default(false),
      wholeWord: z.boolean().default(false),
      include: z.string().max(1000).default(''),
      limit: z.number().int().min(1).max(5000).default(1000),
    }),
  ),
  /** The code index, for the editor. What the name at a place means; null where nothing is known of it. */
  'code.definition': request<CodeDefinitions | null>()(textPlace),
  'code.references': request<CodeReferences>()(
    textPlace.extend({ limit: z.number().int().min(1).max(5000).default(1000) }),
  ),
  /** What renaming the symbol at a place would change. The window shows it and makes the change. */
  'code.rename': request<RenamePlan>()(textPlace.extend({ newName: z.string().max(500) })),
  'code.hover': request<CodeHover | null>()(textPlace),
  'code.outline': request<CodeOutline>()(z.object({ path })),
  /** Symbols of the folder by name, best first. `building`: the index is not complete yet. */
  'code.symbols': request<{ symbols: CodeSymbol[]; building: IndexProgress | null }>()(
    z.object({ query: z.string().max(500), limit: z.number().int().min(1).max(200).default(100) }),
  ),
  /** The window tells which tabs are open and mirrors unsaved text, so that a reload loses nothing. */
  'buffers.sync': request<void>()(
    z.object({
      path,
      open: z.boolean(),
      dirty: z.boolean(),
      text: z.string().nullable(),
      version: z.number().int().optional(),
      stamp: z.string().optional(),
      format: textFormat.optional(),
    }),
  ),
  /** Typing in a tab whose text was synced. False: main holds another text and needs the whole one. */
  'buffers.edit': request<boolean>()(
    z.object({
      path,
      base: z.number().int(),
      version: z.number().int(),
      changes: z.array(textChange).max(5000),
      length: z.number().int().min(0),
    }),
  ),
  'buffers.list':
    request<{ path: string; dirty: boolean; text: string | null; stamp?: FileStamp; format?: TextFormat }[]>()(none),
  /** The user gave up the unsaved text of these files. */
  'buffers.discard': request<void>()(z.object({ paths: z.array(path) })),
  /** The window's layout and open tabs, kept opaque per workspace. */
  'layout.save': request<void>()(z.object({ layout: z.string().max(1_000_000) })),
  'layout.load': request<string | null>()(none),

  'settings.set': request<Settings>()(settingsChangeSchema),
  /** How much conversations, checkpoints, code indexes and unsaved text take. */
  'storage.sizes': request<StorageSizes>()(none),
  /** What `storage.cleanUp` would delete now. */
  'storage.planCleanUp': request<CleanUpSummary>()(none),
  /** Deletes what exceeds the limits of the settings. The answer is what was deleted. */
  'storage.cleanUp': request<CleanUpSummary>()(none),
  /** The key for Brave's search; null forgets it. */
  'web.setBraveKey': request<Settings>()(z.object({ key: z.string().trim().min(1).max(10_000).nullable() })),
  'endpoints.list': request<EndpointStatus[]>()(z.object({ probe: z.boolean().default(false) })),
  /** Looks for servers that were started or ended since; news come as `endpoints.changed`. Quiet and cheap: it may be repeated. */
  'endpoints.look': request<void>()(none),
  'endpoints.save': request<EndpointStatus>()(endpointDraftSchema),
  'endpoints.remove': request<void>()(z.object({ id })),
  /** Asks an endpoint that is not saved yet. */
  'endpoints.test': request<EndpointStatus>()(endpointDraftSchema),

  /** MCP servers: the user's own and those the folder names. Each answer is how they stand then; what follows comes as `mcp.changed`. */
  'mcp.state': request<McpState>()(none),
  /** Adds or changes one of the user's own. `previous`: its name until now. `secrets`: by the names in `${input:NAME}`; null forgets. */
  'mcp.save': request<McpState>()(
    z.object({
      name: mcpName,
      previous: mcpName.optional(),
      definition: mcpDefinitionSchema,
      secrets: mcpSecrets.default({}),
    }),
  ),
  'mcp.remove': request<McpState>()(z.object({ name: mcpName })),
  /** `key`: of the definition the user saw; rejected with `conflict` when it is another by now. */
  'mcp.trust': request<McpState>()(z.object({ key: id, trusted: z.boolean() })),
  'mcp.setSecrets': request<McpState>()(z.object({ key: id, secrets: mcpSecrets })),
  'mcp.setOff': request<McpState>()(z.object({ key: id, off: z.boolean() })),
  /** `risk: null`: as Tizona gives it. `fingerprint`: of the tool as the user saw it. */
  'mcp.setTool': request<McpState>()(
    z.object({
      key: id,
      tool: z.string().max(1000),
      off: z.boolean().optional(),
      risk: z.enum(risks).nullable().optional(),
      fingerprint: z.string().max(100),
    }),
  ),
  'mcp.restart': request<McpState>()(z.object({ key: id })),

  'conversations.list': request<ListedConversation[]>()(z.object({ query: z.string().max(500).optional() })),
  'conversations.create': request<ConversationSnapshot>()(none),
  'conversations.open': request<ConversationSnapshot>()(z.object({ id })),
  'conversations.update': request<ConversationInfo>()(
    z.object({
      id,
      title: z.string().min(1).max(200).optional(),
      mode: z.enum(modes).optional(),
      toolset: z.enum(toolsetNames).optional(),
      model: z.object({ endpointId: z.string(), model: z.string() }).optional(),
      profile: z.enum(profileChoices).optional(),
      pinned: z.boolean().optional(),
    }),
  ),
  'conversations.delete': request<void>()(z.object({ id })),
  /** Starts a turn. While one runs the message waits for its end, or with `steer` for the end of the calls at hand. */
  'conversations.send': request<{ queued: boolean }>()(outgoing.extend({ id, steer: z.boolean().optional() })),
  /** Another text for a message that waits, or another time. Rejected with `not_found` when it does not wait any more. */
  'conversations.changeQueued': request<void>()(
    z.object({ id, messageId: id, text: z.string().min(1).max(5_000_000).optional(), steer: z.boolean().optional() }),
  ),
  'conversations.unqueue': request<void>()(z.object({ id, messageId: id })),
  'conversations.stop': request<void>()(z.object({ id })),
  /** The last user message again; what came after it is removed. */
  'conversations.retry': request<void>()(z.object({ id })),
  /** Another text for an earlier user message; what came after it is removed. */
  'conversations.resend': request<void>()(outgoing.extend({ id, itemId: id })),
  /** Summarises the conversation now, so that the model's window has room again; runs like a turn. */
  'conversations.compact': request<void>()(z.object({ id })),
  /** After the turn limit or a stop. */
  'conversations.continue': request<void>()(z.object({ id })),
  /** What going back to a message of the user's would change. */
  'conversations.restorePreview': request<RestorePreview>()(z.object({ id, itemId: id })),
  /** What happened to one of the files since. */
  'conversations.restoreDiff': request<FileDiff>()(z.object({ checkpoint: z.number().int(), path })),
  /** Goes back to how files, conversation or both were when the message was sent. What was is kept. */
  'conversations.restore': request<RestoreResult>()(
    z.object({ id, itemId: id, files: z.boolean(), conversation: z.boolean() }),
  ),
  /** Takes back the restore that a notice tells of. */
  'conversations.undoRestore': request<RestoreResult>()(z.object({ id, itemId: id })),
  /** A new conversation with the items up to one; of a message of the user's those before it, with its text to be written anew. */
  'conversations.fork': request<{ conversation: ConversationSnapshot; text: string }>()(
    z.object({ id, itemId: id.optional() }),
  ),
  /** The whole conversation as a text for a file of this name. */
  'conversations.export': request<{ name: string; text: string }>()(z.object({ id, format: z.enum(exportFormats) })),
  /** Adds one that was exported as JSON. */
  'conversations.import': request<ConversationSnapshot>()(z.object({ text: z.string().max(50_000_000) })),
  /** Keeps a picture for a message to come. `data`: its bytes in base64. */
  'images.add': request<ImageAttachment>()(
    z.object({ label: z.string().min(1).max(200), data: z.string().max(Math.ceil(maxImageBytes / 3) * 4) }),
  ),
  /** Its bytes in base64; null when it is not kept any more. */
  'images.read': request<{ mimeType: string; base64: string } | null>()(z.object({ id })),
  /** Slash commands that are files. */
  'prompts.list': request<PromptCommand[]>()(none),
  /** The prompt of one with its arguments in place, to be shown before it is sent. */
  'prompts.expand': request<string>()(z.object({ name: z.string().min(1).max(100), args: z.string().max(100_000) })),
  /** The scripted tour in its own throw-away workspace. */
  'tour.start': request<TourStart>()(none),

  'approvals.decide': request<void>()(z.object({ requestId: id, decision })),
  'edits.undo': request<{ paths: string[] }>()(z.object({ editId: id })),
  /** The text of a result before it was shortened. */
  'results.full': request<string>()(z.object({ callId: id })),

  'tools.list': request<ToolInfo[]>()(z.object({ toolset: z.enum(toolsetNames) })),
  'tools.call': request<ToolResult>()(
    z.object({
      callId: id,
      name: z.string().max(200),
      arguments: z.record(z.string(), z.unknown()),
      toolset: z.enum(toolsetNames),
      mode: z.enum(modes),
    }),
  ),
  'tools.cancel': request<void>()(z.object({ callId: id })),

  'jobs.list': request<JobInfo[]>()(none),
  /** What a job wrote so far (its last 1 MiB), escape codes included. */
  'jobs.output': request<string>()(z.object({ id })),
  'jobs.input': request<void>()(z.object({ id, data: z.string().max(1_000_000) })),
  'jobs.resize': request<void>()(
    z.object({ id, columns: z.number().int().min(2).max(1000), rows: z.number().int().min(1).max(1000) }),
  ),
  'jobs.stop': request<void>()(z.object({ id })),
  'jobs.forget': request<void>()(z.object({ id })),
  'terminal.open': request<JobInfo>()(
    z.object({ columns: z.number().int().min(2).max(1000), rows: z.number().int().min(1).max(1000) }),
  ),

  /** Opens an http(s) address in the user's browser. */
  'app.openExternal': request<void>()(z.object({ url: z.string().max(4096) })),

  /** The end of the log file. */
  'log.read': request<LogTail>()(none),
  /** Logs an error of the window. */
  'log.write': request<void>()(z.object({ level: z.enum(['error', 'warn']), message: z.string().max(20_000) })),
  /** Text for a bug report: versions, platform, settings without secrets, latest errors. */
  'app.diagnostics': request<string>()(none),
} as const

export type Requests = typeof requests
export type RequestName = keyof Requests
/** What a window sends (defaults may be left out). */
export type RequestParams<N extends RequestName> = z.input<Requests[N]['params']>
/** What main's handler gets (defaults filled). */
export type HandledParams<N extends RequestName> = z.output<Requests[N]['params']>
export type RequestResult<N extends RequestName> =
  NonNullable<Requests[N]['result']> extends never ? void : Exclude<Requests[N]['result'], undefined>

export interface WorkspaceInfo {
  /** Real path. */
  root: string
  name: string
  branch?: string
  /** Shown instead of the path for the tour's throw-away copy. */
  tour?: boolean
}

/** The tour's folder is open and its conversation made; the window selects the text and sends the prompt. */
export interface TourStart {
  workspace: WorkspaceInfo
  conversation: ConversationSnapshot
  prompt: string
  /** Stands once in the file: selected in the editor beforehand, as a user would, so that the tour can replace it. */
  selection: { path: string; text: string }
}

/** What only some hosts of the window can do. */
export interface HostFeatures {
  /** Show a file in the system's file manager. */
  revealFile: boolean
  /** Move a file to the system's trash. */
  trash: boolean
}

/** Everything a window needs to draw itself, at start and after a dropped connection. */
export interface AppState {
  version: string
  shell: 'electron' | 'browser'
  platform: string
  home: string
  workspace: WorkspaceInfo | null
  recents: string[]
  /** What the host of the window can do beyond a browser. */
  hostFeatures: HostFeatures
  settings: Settings
  /** The conversation last shown for this workspace, running turn and pending approvals included. */
  conversation: ConversationSnapshot | null
  approvals: ApprovalRequest[]
  jobs: JobInfo[]
}

export interface LogTail {
  /** Absolute path of the log file. */
  path: string
  text: string
  /** Older text was left out. */
  truncated: boolean
}

/** Main -> window, no answer. */
export interface Events {
  'workspace.changed': WorkspaceInfo | null
  /** Folders opened last, the latest first. */
  'recents.changed': string[]
  'files.changed': { changes: FileChange[]; /** Too many to list: reload what is shown. */ overflow: boolean }
  'settings.changed': Settings
  'endpoints.changed': EndpointStatus[]
  'mcp.changed': McpState
  'conversation.info': ConversationInfo
  /** A new item, or a new state of one (same id). */
  'conversation.item': { conversationId: string; item: ConversationItem }
  /** Text to append to a streaming assistant item. */
  'conversation.delta': { conversationId: string; itemId: string; text?: string; reasoning?: string }
  /** Items from here on are gone (retry, resend). */
  'conversation.truncated': { conversationId: string; fromItemId: string }
  'conversation.status': {
    conversationId: string
    running: boolean
    queue: QueuedMessage[]
    /** e.g. "Loading model…" */ note?: string
  }
  /** What fills the window in the request that goes out now. */
  'conversation.context': { conversationId: string; context: ContextUse }
  'conversation.turnEnded': { conversationId: string; outcome: TurnOutcome }
  'approval.requested': ApprovalRequest
  'approval.resolved': { requestId: string }
  'tool.progress': { callId: string; progress: ToolProgress }
  'job.changed': JobInfo
  'job.output': { id: string; data: string }
  'job.forgotten': { id: string }
  notice: { level: 'info' | 'warning' | 'error'; message: string; detail?: string }
  /** Menu items of the desktop host, by command id (commands.ts). */
  command: { id: string; argument?: string }
  /** Another window took over; this one must stop. */
  'app.detached': { reason: string }
}
export type EventName = keyof Events

export type WindowMessage =
  | { kind: 'request'; id: number; method: RequestName; params: unknown }
  | { kind: 'answer'; id: number; ok: true; result: unknown }
  | { kind: 'answer'; id: number; ok: false; error: Failure }

export type MainMessage =
  | { kind: 'response'; id: number; ok: true; result: unknown }
  | { kind: 'response'; id: number; ok: false; error: Failure }
  | { [N in EventName]: { kind: 'event'; name: N; payload: Events[N] } }[EventName]
  | { [N in EditorAskName]: { kind: 'ask'; id: number; method: N; params: EditorAsks[N]['params'] } }[EditorAskName]

/** The envelope of what a window sends; `params` and `result` are checked by their own schema afterwards. */
export const windowMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('request'), id: z.number().int().nonnegative(), method: z.string(), params: z.unknown() }),
  z.object({
    kind: z.literal('answer'),
    id: z.number().int().nonnegative(),
    ok: z.boolean(),
    result: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string(), next: z.string() }).optional(),
  }),
])
