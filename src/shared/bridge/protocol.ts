import { z } from 'zod'
import type { ApprovalDecision, ApprovalRequest } from '../tools/approval.ts'
import type { Explanation } from '../agent/explanation.ts'
import type { AuditLog } from '../tools/audit.ts'
import { maxImageBytes, maxImages, type ImageAttachment } from '../agent/attachments.ts'
import {
  callDirections,
  type CodeDefinitions,
  type CodeHover,
  type CodeOutline,
  type CodeReferences,
  type CodeSymbol,
  type IndexProgress,
  type CallHierarchy,
  type LocatedSymbol,
} from '../language/codeNavigation.ts'
import {
  completionModelSchema,
  completionOutcomeSchema,
  completionSchema,
  nextEditSchema,
  seenCodeSchema,
  type CompletionAnswer,
  type CompletionFigures,
  type CompletionTest,
  type NextEditAnswer,
} from '../editor/inlineCompletion.ts'
import { maxThemePackageBytes, type ColorTheme } from '../editor/colorTheme.ts'
import { maxBatchFiles, maxPreviewBytes, uploadPieceBytes } from '../files/files.ts'
import { textFormat } from '../files/textFormat.ts'
import type { ContextUse } from '../agent/contextUse.ts'
import {
  exportFormats,
  type ConversationInfo,
  type ConversationItem,
  type ConversationSnapshot,
  type EarlierItems,
  type ListedConversation,
  type QueuedMessage,
  type TurnOutcome,
} from '../agent/conversation.ts'
import type { EditorRequestName, EditorRequests } from '../editor/editorRequests.ts'
import type { Failure } from '../errors.ts'
import type { Machine, ModelCheck, ModelDownload, SuggestedMessage } from '../models/firstSteps.ts'
import {
  inlineEditSchema,
  placeBlockSchema,
  type BlockPlace,
  type InlineEditProgress,
  type InlineEditResult,
} from '../agent/inlineEdit.ts'
import type { RenamePlan } from '../language/symbolRename.ts'
import type {
  FileBytes,
  FileOutcome,
  FileText,
  FileChange,
  FileEntry,
  FileStamp,
  FolderListing,
  KeptEntry,
  LocatedPath,
  OpenedFile,
  TrashOutcome,
} from '../files/files.ts'
import type { TextFormat } from '../files/textFormat.ts'
import { encodings } from '../files/encodings.ts'
import type { EditorConfig, FormattedText } from '../language/formatting.ts'
import { trustChoices, type TrustEffects } from '../files/folderTrust.ts'
import type { GitCredentialRequest, GitProgress, GitRepository, GitStatusSummary } from '../git/git.ts'
import { gitRequests } from '../git/gitRequests.ts'
import type { UserKeybinding } from '../editor/keymap.ts'
import { languageRequests } from '../language/languageRequests.ts'
import type { FileProblems, LanguageServerStatus } from '../language/languageServers.ts'
import { mcpDefinitionSchema, type McpSignInQuestion, type McpState } from '../tools/mcp.ts'
import { checkSteps, modelReportFormats, type ModelChecksState } from '../models/modelCheck.ts'
import { maxMentionLength, maxMentions } from '../agent/mentions.ts'
import { profileChoices } from '../agent/promptProfile.ts'
import type { RestorePreview, RestoreResult } from '../review/restore.ts'
import type {
  ReviewFileDetail,
  ReviewFileExcerpts,
  ReviewFileHunks,
  ReviewOutcome,
  ReviewScope,
  ReviewSummary,
  ReviewTarget,
} from '../review/review.ts'
import { maxQuotedLines } from '../review/review.ts'
import { modes, risks, toolsetNames } from '../tools/risk.ts'
import type { PromptCommand } from '../agent/promptCommands.ts'
import { request } from './requestType.ts'
import {
  endpointSchema,
  headerNameSchema,
  settingsChangeSchema,
  type EndpointStatus,
  type FolderSettings,
  type Settings,
} from '../settings/settings.ts'
import type { SandboxState } from '../commands/sandbox.ts'
import type { Snippet } from '../editor/snippets.ts'
import type { CleanUpSummary, StorageSizes } from '../files/storage.ts'
import type { FoundTest, Task } from '../commands/tasks.ts'
import { isUserFile, type UserFileText } from '../files/userFiles.ts'
import { textChange } from '../editor/textChanges.ts'
import type { FileDiff, JobInfo, Match, ToolInfo, ToolProgress, ToolResult } from '../tools/tool.ts'

// The protocol between main and a window, the same for all hosts. `requests`: from the window to main, which validates
// them with zod. `Events`: from main to the window. `EditorRequests` (editorRequests.ts): from main to the window, with
// answers.

const noParams = z.object({})
const path = z.string().max(4096)
const id = z.string().min(1).max(200)
const userFile = z.string().refine(isUserFile, 'Not a file of shortcuts or snippets.')
const themeFile = z.object({ name: z.string().min(1).max(200), text: z.string().max(1_000_000) })
const modelOfEndpoint = z.object({ endpointId: id, model: z.string().trim().min(1).max(200) })
/** A position in the current text of a file, including unsaved changes. 1-based; columns count UTF-16 units. */
const textPosition = z.object({ path, line: z.number().int().min(1), column: z.number().int().min(1) })

/** The slash command of the MCP server whose prompt began a message. */
const serverPrompt = z.string().min(1).max(200).optional()

/** A message from the user: text with mentions (mentions.ts), and pictures stored with `images.add`. */
const outgoingMessage = z.object({
  text: z.string().min(1).max(5_000_000),
  /** Mentions that the user chose from the menu. Sending fails if one of them cannot be read. */
  chosen: z.array(z.string().max(maxMentionLength)).max(200).optional(),
  /** The mentions that are the user's own, as in the text; others are plain text, e.g. in pasted code. Default: all. */
  mentions: z.array(z.string().max(maxMentionLength)).max(maxMentions).optional(),
  images: z
    .array(z.object({ id, label: z.string().max(200) }))
    .max(maxImages)
    .optional(),
  serverPrompt,
})

const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('once'), editedCommand: z.string().max(100_000).optional() }),
  z.object({ kind: z.literal('exact') }),
  z.object({ kind: z.literal('prefix') }),
  z.object({ kind: z.literal('scope') }),
  z.object({ kind: z.literal('refuse'), reason: z.string().max(10_000) }),
]) satisfies z.ZodType<ApprovalDecision>

/**
 * An endpoint from the settings form. Without an id it is new. `key`: the API key; absent keeps the stored one, null
 * deletes it. `headerValues`: values by header name; headers without one keep the stored value.
 */
const endpointDraftSchema = z.object({
  endpoint: endpointSchema.partial({ id: true }).extend({
    headerValues: z
      .record(
        headerNameSchema,
        z
          .string()
          .max(10_000)
          .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'Not a valid header value.'),
      )
      .optional(),
  }),
  key: z.string().max(10_000).nullable().optional(),
})

const reviewScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pending') }),
  z.object({ kind: z.enum(['turn', 'since']), conversation: id, message: id }),
  z.object({ kind: z.literal('conversation'), conversation: id }),
  z.object({ kind: z.literal('checkpoint'), checkpoint: z.number().int() }),
]) satisfies z.ZodType<ReviewScope>
const quotedLines = z.array(z.string()).max(maxQuotedLines)
const reviewTarget = z.object({
  path,
  hunks: z.array(id).min(1).max(10_000).optional(),
  revision: z.number().int().optional(),
}) satisfies z.ZodType<ReviewTarget>
const reviewAction = z.object({
  scope: reviewScope,
  targets: z.union([z.array(reviewTarget).min(1).max(10_000), z.literal('all')]),
})

const mcpName = z.string().trim().min(1).max(64)
const mcpSecrets = z.record(z.string().min(1).max(256), z.string().max(32_768).nullable())

export const requests = {
  'app.state': request<AppState>()(noParams),

  'workspace.open': request<WorkspaceInfo>()(z.object({ path })),
  'workspace.close': request<void>()(noParams),
  /** Shows the system's folder dialog on the desktop. Rejected in the browser, where the window uses `folders.list`. */
  'workspace.pick': request<string | null>()(noParams),
  /** Opens another window on the desktop: without a folder, or with one. Focuses the window that already has it. */
  'window.open': request<void>()(z.object({ path: path.optional() })),
  /** Focuses the window that has a folder open. @returns whether there is one */
  'window.focusFolder': request<boolean>()(z.object({ path })),
  'workspace.forgetRecent': request<void>()(z.object({ path })),
  'workspace.clearRecents': request<void>()(noParams),
  /** Reads the latest decisions about tool calls. */
  'audit.read': request<AuditLog>()(noParams),
  /** Lists what is off in the open folder until the user trusts it. */
  'trust.effects': request<TrustEffects>()(noParams),
  /** Stores the user's decision about the open folder and applies it. */
  'trust.decide': request<WorkspaceInfo>()(z.object({ choice: z.enum(trustChoices) })),
  'folders.list': request<FolderListing>()(z.object({ path: path.optional() })),

  'files.list': request<FileEntry[]>()(z.object({ path })),
  /** `encoding`: chosen by the user; from then on, tools read and write the file in it. */
  'files.read': request<OpenedFile>()(z.object({ path, encoding: z.enum(encodings).optional() })),
  /** `stamp`: the version that the window last saw. @throws changed_on_disk if the file has changed, unless `force` */
  /** Reads part of a file as bytes, for previews. Fewer bytes are returned at its end. */
  'files.bytes': request<FileBytes>()(
    z.object({
      path,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(maxPreviewBytes),
    }),
  ),
  /** Reads the lines that start within a megabyte of a file of any size. */
  'files.textPart': request<FileText>()(z.object({ path, part: z.number().int().min(0).default(0) })),
  'files.write': request<{ stamp: FileStamp }>()(
    z.object({
      path,
      text: z.string(),
      format: textFormat,
      stamp: z.string().optional(),
      force: z.boolean().default(false),
    }),
  ),
  /**
   * Reads several files as `files.read` does. Answers for the first ones only, but for at least one, if their texts are
   * longer than `maxBatchCharacters`.
   */
  'files.readBatch': request<FileOutcome<OpenedFile>[]>()(z.object({ paths: z.array(path).min(1).max(maxBatchFiles) })),
  /** Writes several files as `files.write` does without `force`. A failure does not stop the others. */
  'files.writeBatch': request<FileOutcome<{ stamp: FileStamp }>[]>()(
    z.object({
      files: z
        .array(z.object({ path, text: z.string(), format: textFormat, stamp: z.string().optional() }))
        .min(1)
        .max(maxBatchFiles),
    }),
  ),
  /** Gives the owner of a file permission to write it. @throws permission_denied */
  'files.makeWritable': request<void>()(z.object({ path })),
  'files.create': request<void>()(z.object({ path, directory: z.boolean().default(false) })),
  'files.move': request<void>()(z.object({ from: path, to: path })),
  /** Copies a file, or a folder with its content. */
  'files.copy': request<void>()(z.object({ from: path, to: path })),
  /** Starts a file that the window sends in pieces. It appears when it is complete. @throws already_exists */
  'files.beginUpload': request<string>()(z.object({ path, overwrite: z.boolean().default(false) })),
  'files.uploadPiece': request<void>()(z.object({ id, base64: z.string().max(Math.ceil(uploadPieceBytes / 3) * 4) })),
  'files.finishUpload': request<void>()(z.object({ id })),
  'files.cancelUpload': request<void>()(z.object({ id })),
  /** Deletes permanently. `keep`: keeps a copy for `files.restoreDeleted` while the folder is open. */
  'files.delete': request<KeptEntry | null>()(z.object({ path, keep: z.boolean().default(false) })),
  /** Moves to the system's trash, if the host supports it (`AppState.hostFeatures`). */
  'files.trash': request<TrashOutcome>()(z.object({ path })),
  /** Undoes a deletion. Returns the path. @throws already_exists, not_found if it is no longer kept */
  'files.restoreDeleted': request<string>()(z.object({ id })),
  /** Shows a file or folder in the system's file manager, if the host supports it (`AppState.hostFeatures`). */
  'files.reveal': request<void>()(z.object({ path })),
  /** Checks whether absolute paths are folders, files or missing, for example files dropped onto the window. */
  'files.locate': request<LocatedPath[]>()(z.object({ paths: z.array(path).min(1).max(200) })),
  /**
   * Locates the files and symbols that a text mentions. A path is relative to the folder, absolute, or the end of a
   * path that only one file has. Null: not in the open folder.
   */
  'links.locate': request<{ files: (string | null)[]; symbols: (LocatedSymbol | null)[] }>()(
    z.object({ paths: z.array(path).max(200), names: z.array(z.string().min(1).max(200)).max(40) }),
  ),
  /** Finds files by fuzzy name for quick open, best first. */
  'files.find': request<string[]>()(
    z.object({ query: z.string().max(500), limit: z.number().int().min(1).max(200).default(50) }),
  ),
  /** Reads the settings of `.editorconfig` files for a file. */
  'files.editorConfig': request<EditorConfig>()(z.object({ path })),
  /** Formats a text with the formatter of the project. Null if there is none or the folder is not trusted. */
  'files.format': request<FormattedText | null>()(z.object({ path, text: z.string() })),
  'search.text': request<{ matches: Match[]; total: number; truncated: boolean }>()(
    z.object({
      query: z.string().min(1).max(10_000),
      regex: z.boolean().default(false),
      caseSensitive: z.boolean().default(false),
      wholeWord: z.boolean().default(false),
      include: z.string().max(1000).default(''),
      exclude: z.string().max(1000).default(''),
      /** Also returns what each hit is replaced with. In it, a regular expression's groups are `$1` or `${name}`. */
      replacement: z.string().max(10_000).optional(),
      limit: z.number().int().min(1).max(5000).default(1000),
    }),
  ),
  /** Finds the definitions of the symbol at a position; null if there is no name. */
  'code.definition': request<CodeDefinitions | null>()(textPosition),
  'code.references': request<CodeReferences>()(
    textPosition.extend({ limit: z.number().int().min(1).max(5000).default(1000) }),
  ),
  /** Computes the changes of a rename. The window previews and applies them. */
  'code.rename': request<RenamePlan>()(textPosition.extend({ newName: z.string().max(500) })),
  'code.hover': request<CodeHover | null>()(textPosition),
  /**
   * `indexOnly`: of both requests, returns the symbols of the index, whose ids and names the symbol tools and mentions
   * use. Otherwise language servers that run answer first.
   */
  'code.outline': request<CodeOutline>()(z.object({ path, indexOnly: z.boolean().default(false) })),
  /**
   * Finds symbols in the folder by name, best first. `building`: progress while the index is incomplete, otherwise
   * null.
   */
  'code.symbols': request<{ symbols: CodeSymbol[]; building: IndexProgress | null }>()(
    z.object({
      query: z.string().max(500),
      limit: z.number().int().min(1).max(200).default(100),
      indexOnly: z.boolean().default(false),
    }),
  ),
  /** Finds the callers of the function at a position, or the functions that it calls; null if there is no function. */
  'code.callHierarchy': request<CallHierarchy | null>()(textPosition.extend({ direction: z.enum(callDirections) })),
  /** Asks the model to change or insert lines. Changes nothing; the lines so far arrive as `inlineEdit.progress`. */
  'inlineEdit.run': request<InlineEditResult>()(inlineEditSchema),
  'inlineEdit.cancel': request<void>()(z.object({ id })),
  /**
   * Finds the lines of a file that a code block of the chat replaces.
   * @throws no_match if it is a diff of other text
   */
  'inlineEdit.place': request<BlockPlace>()(placeBlockSchema),
  /** Requests how the text continues at the cursor. Cancels the previous request. */
  'completion.suggest': request<CompletionAnswer>()(completionSchema),
  /** Predicts the next edit near the cursor. Cancels the previous request. */
  'completion.nextEdit': request<NextEditAnswer>()(nextEditSchema),
  'completion.cancel': request<void>()(z.object({ id })),
  /** Sends code that the user has left, saved or copied, as context for suggestions. */
  'completion.seen': request<void>()(seenCodeSchema),
  /** Counts what became of suggestions. */
  'completion.outcome': request<void>()(completionOutcomeSchema),
  'completion.figures': request<CompletionFigures>()(noParams),
  'completion.resetFigures': request<CompletionFigures>()(noParams),
  /** Requests a short suggestion from a model. */
  'completion.test': request<CompletionTest>()(completionModelSchema),
  /** Requests a next edit in a short example from a model. */
  'completion.testNextEdit': request<CompletionTest>()(completionModelSchema),
  /** Sends the state and the unsaved text of a tab, so that a reload loses nothing. */
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
  /**
   * Sends the changes since version `base` of a tab. Returns false if main does not have `base` and needs the full
   * text.
   */
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
    request<{ path: string; dirty: boolean; text: string | null; stamp?: FileStamp; format?: TextFormat }[]>()(
      noParams,
    ),
  /** Deletes the stored unsaved text of files, after the user discarded it. */
  'buffers.discard': request<void>()(z.object({ paths: z.array(path) })),
  /** Stores the window's layout and open tabs for the workspace. Opaque to main. */
  'layout.save': request<void>()(z.object({ layout: z.string().max(1_000_000) })),
  'layout.load': request<string | null>()(noParams),

  /** Replaces the user's shortcuts (`AppState.keybindings`). Changes arrive as `keybindings.changed`. */
  'keybindings.set': request<void>()(
    z.object({
      bindings: z
        .array(
          z.looseObject({
            key: z.string().max(100),
            command: z.string().min(1).max(200),
            when: z.string().max(1000).optional(),
          }),
        )
        .max(2000),
    }),
  ),
  /** Lists the user's snippet files. */
  'userFiles.snippets': request<string[]>()(noParams),
  /** Reads `keybindings.json` or a snippet file of the user. No other file of the user data folder can be read. */
  'userFiles.read': request<UserFileText>()(z.object({ file: userFile })),
  /** Stores such a file and applies it. @throws invalid_arguments with the line of each mistake */
  'userFiles.write': request<void>()(z.object({ file: userFile, text: z.string().max(1_000_000) })),
  /** Returns the settings that differ from the defaults as JSON, and the JSON schemas of user and folder settings. */
  'settings.document': request<{ text: string; schema: object; folderSchema: object }>()(noParams),
  /** Replaces the settings that the document can contain. @throws invalid_arguments with the place of each mistake */
  'settings.setDocument': request<Settings>()(z.object({ text: z.string().max(1_000_000) })),
  /** Reads `.tizona/settings.json` of the folder, if the user trusts it. `problem`: why it is not used, or ''. */
  'settings.folder': request<{ settings: FolderSettings; problem: string }>()(noParams),
  /** Changes one setting of the folder, or removes it without `value`. @throws refused in a restricted folder */
  'settings.setFolder': request<{ settings: FolderSettings; problem: string }>()(
    z.object({ name: z.string().min(1).max(100), value: z.unknown().optional() }),
  ),
  'themes.list': request<ColorTheme[]>()(noParams),
  /** Reads the snippets of the user, and those of the folder if the user trusts it. */
  'snippets.list': request<Snippet[]>()(noParams),
  /** Imports a theme file of VS Code, with the files that it includes. @throws invalid_arguments if it is not one */
  'themes.add': request<ColorTheme>()(themeFile.extend({ included: z.array(themeFile).max(20).default([]) })),
  /** Imports the themes of an extension of VS Code (.vsix). `data`: its bytes in base64. Runs nothing of it. */
  'themes.addPackage': request<ColorTheme[]>()(
    z.object({ name: z.string().min(1).max(200), data: z.string().max(Math.ceil(maxThemePackageBytes / 3) * 4) }),
  ),
  'themes.remove': request<void>()(z.object({ id })),
  'settings.set': request<Settings>()(settingsChangeSchema()),
  /** Measures conversations, checkpoints, code indexes and unsaved text on disk. */
  'storage.sizes': request<StorageSizes>()(noParams),
  /** Computes what `storage.cleanUp` would delete now. */
  'storage.planCleanUp': request<CleanUpSummary>()(noParams),
  /** Deletes data beyond the limits in the settings. Returns what was deleted. */
  'storage.cleanUp': request<CleanUpSummary>()(noParams),
  /** Stores the API key for Brave Search; null deletes it. */
  'web.setBraveKey': request<Settings>()(z.object({ key: z.string().trim().min(1).max(10_000).nullable() })),
  'endpoints.list': request<EndpointStatus[]>()(z.object({ probe: z.boolean().default(false) })),
  /** Checks for model servers that started or stopped. Sends changes as `endpoints.changed`. Cheap enough to poll. */
  'endpoints.look': request<void>()(noParams),
  /** Stores an endpoint. `unlessKnown` changes nothing if an endpoint of the same kind and address is stored. */
  'endpoints.save': request<EndpointStatus>()(endpointDraftSchema.extend({ unlessKnown: z.boolean().optional() })),
  'endpoints.remove': request<void>()(z.object({ id })),
  /** Opens the system's file dialog for a .gguf file. Returns null if the user cancels it. */
  'endpoints.pickFile': request<string | null>()(noParams),
  /** Tests an endpoint without saving it. */
  'endpoints.test': request<EndpointStatus>()(endpointDraftSchema),

  'machine.get': request<Machine>()(noParams),
  /**
   * Downloads a model into Ollama, and returns when it can be used. Progress arrives as `models.downloadProgress`.
   * @throws conflict if it is being downloaded, cancelled
   */
  'models.download': request<void>()(modelOfEndpoint),
  'models.cancelDownload': request<void>()(modelOfEndpoint),
  /** Asks the model to call a tool, and reports whether it does. */
  'models.check': request<ModelCheck>()(modelOfEndpoint),
  /**
   * Starts "Check my model", which continues without the window. Its progress arrives as `modelCheck.changed`.
   * @throws conflict if a check is running
   */
  'modelCheck.start': request<void>()(
    modelOfEndpoint.extend({
      steps: z.array(z.enum(checkSteps)).min(1).optional(),
      /** Time limit of the whole check. */
      minutes: z.number().positive().max(1440).optional(),
    }),
  ),
  'modelCheck.cancel': request<void>()(noParams),
  'modelCheck.state': request<ModelChecksState>()(noParams),
  /**
   * Stores the recommended settings of a report. `endpointId`: the endpoint to change. Default: the checked one.
   * @throws not_found if the report or the endpoint no longer exists, conflict if the check ended early
   */
  'modelCheck.apply': request<void>()(z.object({ id, endpointId: id.optional() })),
  /** Returns a report as a file to share, without anything about this machine. */
  'modelCheck.export': request<{ name: string; text: string }>()(z.object({ id, format: z.enum(modelReportFormats) })),
  'modelCheck.remove': request<void>()(z.object({ id })),
  /** Suggests first messages for the open folder. */
  'messages.suggest': request<SuggestedMessage[]>()(noParams),

  /** Returns the state of the user's and the folder's MCP servers. Later changes arrive as `mcp.changed`. */
  'mcp.state': request<McpState>()(noParams),
  /**
   * Adds or changes a user's server. `previous`: its old name. `secrets`: values by `${input:NAME}`; null deletes one.
   */
  'mcp.save': request<McpState>()(
    z.object({
      name: mcpName,
      previous: mcpName.optional(),
      definition: mcpDefinitionSchema,
      secrets: mcpSecrets.default({}),
    }),
  ),
  'mcp.remove': request<McpState>()(z.object({ name: mcpName })),
  /**
   * Stores the user's decision. `key`: identifies the definition that the user saw.
   * @throws conflict if it has changed
   */
  'mcp.trust': request<McpState>()(z.object({ key: id, trusted: z.boolean() })),
  'mcp.setSecrets': request<McpState>()(z.object({ key: id, secrets: mcpSecrets })),
  'mcp.setOff': request<McpState>()(z.object({ key: id, off: z.boolean() })),
  /**
   * Changes the choices for a tool. `risk: null`: use the assessed risk. `fingerprint`: of the tool that the user saw.
   */
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
  /** Finds where the user signs in for a server. Opens nothing. */
  'mcp.findSignIn': request<McpSignInQuestion>()(z.object({ key: id })),
  /**
   * Opens the sign-in page in the browser, and ends when the user has signed in. `host`: the host that the user saw.
   * @throws refused if the page has another host now
   */
  'mcp.signIn': request<McpState>()(z.object({ key: id, host: z.string().min(1).max(300) })),
  'mcp.cancelSignIn': request<McpState>()(z.object({ key: id })),
  'mcp.signOut': request<McpState>()(z.object({ key: id })),
  /** Returns the text of a server's prompt, for the user to review. `command`: from `McpPrompt`. */
  'mcp.prompt': request<string>()(
    z.object({ command: z.string().min(1).max(200), args: z.record(z.string().max(1000), z.string().max(100_000)) }),
  ),

  'conversations.list': request<ListedConversation[]>()(z.object({ query: z.string().max(500).optional() })),
  'conversations.create': request<ConversationSnapshot>()(noParams),
  /** `latest`: number of items to return; all by default. The message that began the latest turn is always included. */
  'conversations.open': request<ConversationSnapshot>()(
    z.object({ id, latest: z.number().int().positive().optional() }),
  ),
  /** Returns up to `count` items before the item `before`. */
  'conversations.earlier': request<EarlierItems>()(z.object({ id, before: id, count: z.number().int().positive() })),
  'conversations.update': request<ConversationInfo>()(
    z.object({
      id,
      title: z.string().min(1).max(200).optional(),
      mode: z.enum(modes).optional(),
      toolset: z.enum(toolsetNames).optional(),
      model: z.object({ endpointId: z.string(), model: z.string() }).optional(),
      profile: z.enum(profileChoices).optional(),
      /** Agent that answers; null for Tizona's own. @throws conflict after the first message */
      agent: id.nullable().optional(),
      pinned: z.boolean().optional(),
    }),
  ),
  'conversations.delete': request<void>()(z.object({ id })),
  /**
   * Starts a turn. If one is running, queues the message until its end or, with `steer`, until its current calls end.
   */
  'conversations.send': request<{ queued: boolean }>()(outgoingMessage.extend({ id, steer: z.boolean().optional() })),
  /** Changes the text or delivery of a queued message. @throws not_found if it is no longer queued */
  'conversations.changeQueued': request<void>()(
    z.object({ id, messageId: id, text: z.string().min(1).max(5_000_000).optional(), steer: z.boolean().optional() }),
  ),
  'conversations.unqueue': request<void>()(z.object({ id, messageId: id })),
  /**
   * Reads and stores the folder's files for the first checkpoint, once, while the user writes a message. Returns before
   * it is done.
   */
  'conversations.prepareCheckpoint': request<void>()(noParams),
  'conversations.stop': request<void>()(z.object({ id })),
  /** Stops one running call. The turn goes on. */
  'conversations.stopCall': request<void>()(z.object({ id, itemId: id })),
  /** Sends the last user message again and removes the items after it. */
  'conversations.retry': request<void>()(z.object({ id })),
  /** Changes the text of an earlier user message, removes the items after it and sends it again. */
  'conversations.resend': request<void>()(outgoingMessage.extend({ id, itemId: id })),
  /** Summarizes the conversation to free context. Runs as a turn. */
  'conversations.compact': request<void>()(z.object({ id })),
  /** Continues after the turn limit or a stop. */
  'conversations.continue': request<void>()(z.object({ id })),
  /** Computes the effect of `conversations.restore` for a user message. */
  'conversations.restorePreview': request<RestorePreview>()(z.object({ id, itemId: id })),
  /** Compares a file with a checkpoint. */
  'conversations.restoreDiff': request<FileDiff>()(z.object({ checkpoint: z.number().int(), path })),
  /** Restores files, the conversation or both to their state before the message was sent. Can be undone. */
  'conversations.restore': request<RestoreResult>()(
    z.object({ id, itemId: id, files: z.boolean(), conversation: z.boolean() }),
  ),
  /** Undoes the restore that a notice reports. */
  'conversations.undoRestore': request<RestoreResult>()(z.object({ id, itemId: id })),
  /**
   * Copies a conversation up to an item, inclusive. A user message is excluded; its text is returned for the composer.
   */
  'conversations.fork': request<{ conversation: ConversationSnapshot; text: string }>()(
    z.object({ id, itemId: id.optional() }),
  ),
  /** Returns the name and content of an export file. */
  'conversations.export': request<{ name: string; text: string }>()(z.object({ id, format: z.enum(exportFormats) })),
  /** Imports a conversation that was exported as JSON. */
  'conversations.import': request<ConversationSnapshot>()(z.object({ text: z.string().max(50_000_000) })),
  /** Stores a picture for a message. `data`: the bytes in base64. */
  'images.add': request<ImageAttachment>()(
    z.object({ label: z.string().min(1).max(200), data: z.string().max(Math.ceil(maxImageBytes / 3) * 4) }),
  ),
  /** Returns the bytes in base64; null if the picture is no longer stored. */
  'images.read': request<{ mimeType: string; base64: string } | null>()(z.object({ id })),
  /** Lists slash commands defined by prompt files. */
  'prompts.list': request<PromptCommand[]>()(noParams),
  /** Inserts the arguments into the prompt of a slash command. */
  'prompts.expand': request<string>()(z.object({ name: z.string().min(1).max(100), args: z.string().max(100_000) })),
  /** Starts the scripted tour in a temporary workspace. */
  'tour.start': request<TourStart>()(noParams),

  'approvals.decide': request<void>()(z.object({ requestId: id, decision })),
  /** Explains whether a command line would run in the open folder. Does not run it. */
  'approvals.explain': request<Explanation>()(z.object({ command: z.string().max(200_000), mode: z.enum(modes) })),
  /** Names of the commands with a built-in read-only rule. */
  'approvals.builtIn': request<string[]>()(noParams),
  /**
   * Lists the changed files of a scope. Changes arrive as `review.changed`. `paths`: lists only those of these files that
   * have changes.
   */
  'review.list': request<ReviewSummary>()(z.object({ scope: reviewScope, paths: z.array(path).max(100).optional() })),
  /** Returns the hunks of a file. @throws not_found if the file has no changes in this scope */
  'review.hunks': request<ReviewFileHunks>()(z.object({ scope: reviewScope, path })),
  /** Returns the hunks of a file with their lines. Throws as `review.hunks` does. */
  'review.excerpts': request<ReviewFileExcerpts>()(z.object({ scope: reviewScope, path })),
  /** Returns the hunks and texts of a file. Throws as `review.hunks` does. */
  'review.file': request<ReviewFileDetail>()(z.object({ scope: reviewScope, path })),
  /** Accepts changes. While a call of a turn runs, the action waits for its end. */
  'review.keep': request<ReviewOutcome>()(reviewAction),
  /** Restores the lines or files of the base. Waits like `review.keep`. */
  'review.undo': request<ReviewOutcome>()(reviewAction),
  /** Reverts the last keep or undo. @throws not_found if there is none */
  'review.revert': request<ReviewOutcome>()(noParams),
  /** Repeats the last reverted keep or undo. @throws not_found if there is none */
  'review.redo': request<ReviewOutcome>()(noParams),
  /** Sends comments to the agent as the next message of a conversation. */
  'review.comment': request<{ queued: boolean }>()(
    z.object({
      conversation: id,
      comments: z
        .array(
          z.object({
            path,
            line: z.number().int().min(1),
            text: z.string().min(1).max(100_000),
            quote: z.object({ removed: quotedLines, added: quotedLines }).optional(),
            anchor: quotedLines.optional(),
          }),
        )
        .min(1)
        .max(500),
      /** What the user wrote besides the comments. */
      text: z.string().max(5_000_000).optional(),
      serverPrompt,
    }),
  ),
  'edits.undo': request<{ paths: string[] }>()(z.object({ editId: id })),
  /** Returns the full text of a truncated result. */
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

  /** Lists the tasks that the files of the folder define. */
  'tasks.list': request<Task[]>()(noParams),
  /** Finds the tests in the text of a file. */
  'tests.find': request<FoundTest[]>()(z.object({ path, text: z.string().max(4_000_000) })),
  'jobs.list': request<JobInfo[]>()(noParams),
  /** Returns the last 1 MiB of a job's output, including escape codes. */
  'jobs.output': request<string>()(z.object({ id })),
  'jobs.input': request<void>()(z.object({ id, data: z.string().max(1_000_000) })),
  'jobs.resize': request<void>()(
    z.object({ id, columns: z.number().int().min(2).max(1000), rows: z.number().int().min(1).max(1000) }),
  ),
  'jobs.stop': request<void>()(z.object({ id })),
  'jobs.forget': request<void>()(z.object({ id })),
  /** Gives a job a name. An empty one removes it. */
  'jobs.rename': request<void>()(z.object({ id, name: z.string().max(100) })),
  'terminal.open': request<JobInfo>()(
    z.object({ columns: z.number().int().min(2).max(1000), rows: z.number().int().min(1).max(1000) }),
  ),

  ...gitRequests,
  ...languageRequests,

  /** Opens an http(s) URL in the browser. */
  'app.openExternal': request<void>()(z.object({ url: z.string().max(4096) })),

  /** Reads the end of the log file. */
  'log.read': request<LogTail>()(noParams),
  /** Logs an error of the window. */
  'log.write': request<void>()(z.object({ level: z.enum(['error', 'warn']), message: z.string().max(20_000) })),
  /** Returns text for a bug report: versions, platform, settings without secrets, latest errors. */
  'app.diagnostics': request<string>()(noParams),
} as const

export type Requests = typeof requests
export type RequestName = keyof Requests
/** Parameters that a window sends. Those with a default are optional. */
export type RequestParams<N extends RequestName> = z.input<Requests[N]['params']>
/** Parameters that main's handler receives, with defaults applied. */
export type HandledParams<N extends RequestName> = z.output<Requests[N]['params']>
export type RequestResult<N extends RequestName> =
  NonNullable<Requests[N]['result']> extends never ? void : Exclude<Requests[N]['result'], undefined>

export interface WorkspaceInfo {
  /** Real path. */
  root: string
  name: string
  branch?: string
  /** Whether this is the tour's temporary folder, whose path is not shown. */
  tour?: boolean
  /** Present if the user does not trust the folder. `decided`: the user chose to keep it restricted. */
  restricted?: { decided: boolean }
}

/** The started tour: its open folder and its conversation. The window selects the text and sends the prompt. */
export interface TourStart {
  workspace: WorkspaceInfo
  conversation: ConversationSnapshot
  prompt: string
  /** Text that occurs once in the file. The tour replaces the selection. */
  selection: { path: string; text: string }
}

/** Features that not every host supports. */
export interface HostFeatures {
  /** Whether the host can show files in the system's file manager. */
  revealFile: boolean
  /** Whether the host can move files to the system's trash. */
  trash: boolean
}

/** The state that a window needs at start and after a reconnect. */
export interface AppState {
  version: string
  shell: 'electron' | 'browser'
  platform: string
  home: string
  workspace: WorkspaceInfo | null
  recents: string[]
  hostFeatures: HostFeatures
  settings: Settings
  keybindings: readonly UserKeybinding[]
  /** The conversation last shown in this workspace, including a running turn. */
  conversation: ConversationSnapshot | null
  approvals: ApprovalRequest[]
  jobs: JobInfo[]
  /** Whether commands can run in a sandbox. Null without a workspace. */
  sandbox: SandboxState | null
}

export interface LogTail {
  /** Absolute path of the log file. */
  path: string
  text: string
  /** Whether older text was omitted. */
  truncated: boolean
}

/** Events from main to the window. */
export interface Events {
  'workspace.changed': WorkspaceInfo | null
  /** Recent folders, latest first. */
  'recents.changed': string[]
  'files.changed': {
    changes: FileChange[]
    /** Whether `changes` is incomplete. The window then reloads all open folders and files. */
    overflow: boolean
  }
  /** Changes to review, kept or undone in these files. Null: any file. */
  'review.changed': { paths: string[] | null }
  'settings.changed': Settings
  /** The user saved a snippet file. */
  'snippets.changed': { file: string }
  'keybindings.changed': { keybindings: readonly UserKeybinding[] }
  'endpoints.changed': EndpointStatus[]
  'models.downloadProgress': ModelDownload
  'modelCheck.changed': ModelChecksState
  'mcp.changed': McpState
  'conversation.info': ConversationInfo
  /** A new item at the end (`isNew`), or a new state of an item with the same id. */
  'conversation.item': { conversationId: string; item: ConversationItem; isNew: boolean }
  /** Text to append to a streaming assistant item. */
  'conversation.delta': { conversationId: string; itemId: string; text?: string; reasoning?: string }
  /** This item and all later ones were removed, for example before a retry. */
  'conversation.truncated': { conversationId: string; fromItemId: string }
  'conversation.status': {
    conversationId: string
    running: boolean
    queue: QueuedMessage[]
    /** Current activity, e.g. "Loading model…". */
    note?: string
  }
  /** Context use of the current request. */
  'conversation.context': { conversationId: string; context: ContextUse }
  'conversation.turnEnded': { conversationId: string; outcome: TurnOutcome }
  'approval.requested': ApprovalRequest
  'approval.resolved': { requestId: string }
  'tool.progress': { callId: string; progress: ToolProgress }
  /** Why suggestions fail at the moment; null if they work. */
  'completion.problem': { problem: string | null }
  'inlineEdit.progress': { id: string; progress: InlineEditProgress }
  'job.changed': JobInfo
  'job.output': { id: string; data: string }
  'job.forgotten': { id: string }
  'sandbox.changed': { state: SandboxState }
  /** The repositories of the open folder changed. */
  'git.repositoriesChanged': GitRepository[]
  /** The status of a repository changed, including when files, HEAD, the index or branches changed outside Tizona. */
  'git.changed': { status: GitStatusSummary }
  'git.progress': GitProgress
  'git.actionEnded': { operation: string }
  /** The open questions of git and ssh, the first one first. */
  'git.credentialsChanged': GitCredentialRequest[]
  /** The states of the language servers. */
  'language.servers': LanguageServerStatus[]
  'language.programs': string[]
  /** The problems of a file changed. Also sent for files without a tab. */
  'language.problems': FileProblems
  /** `url`: a page about it, which the notice opens. */
  notice: { level: 'info' | 'warning' | 'error'; message: string; detail?: string; url?: string }
  /** The user chose a command from the desktop host's menu. `id`: a CommandId. */
  command: { id: string; argument?: string }
  /** Another window has taken over. This window must stop. */
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
  | {
      [N in EditorRequestName]: { kind: 'ask'; id: number; method: N; params: EditorRequests[N]['params'] }
    }[EditorRequestName]

/** The envelope of messages from a window. `params` and `result` are validated separately. */
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
