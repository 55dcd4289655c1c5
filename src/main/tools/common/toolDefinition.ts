import { once } from '../../../shared/async/once.ts'
import type { z } from 'zod'
import type { CommandSandbox, SandboxDenial } from '../../../shared/commands/sandbox.ts'
import type { Risk, ToolsetName } from '../../../shared/tools/risk.ts'
import type {
  CallLine,
  JsonSchema,
  ToolEffect,
  ToolProgress,
  ToolResult,
  ToolView,
} from '../../../shared/tools/tool.ts'
import type { RunIsolated } from '../../base/isolatedJob.ts'
import type { CodeIndex } from '../../code/codeIndex.ts'
import type { Jobs } from '../../command/jobTypes.ts'
import type { DebugSessions } from '../../debug/debugSessions.ts'
import type { DebugTargets } from '../../debug/debugTargets.ts'
import type { NotebookKernels } from '../../notebook/notebookKernels.ts'
import type { Preview } from '../../preview/preview.ts'
import type { Git } from '../../git/git.ts'
import type { Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import type { EditJournal } from '../../history/editJournal.ts'
import type { Skill } from '../../instructions/skills.ts'
import type { LanguageServers } from '../../lsp/languageServers.ts'
import type { RankByMeaning } from '../../model/embeddings/meaningRanking.ts'
import type { Search } from '../../search/search.ts'
import type { Web } from '../../web/webAccess.ts'
import type { Workspace } from '../../workspace/containment.ts'
import type { Documents } from '../../workspace/documents.ts'
import type { EditorPort } from '../../workspace/editorPort.ts'
import type { FileOperations } from '../../workspace/fileOperations.ts'

/** Access to the skills of the workspace and of the user. */
export interface Skills {
  /** Loads a skill by name. @throws ToolError not_found with the available names */
  load(name: string, signal: AbortSignal): Promise<{ skill: Skill; text: string }>
}

/**
 * Calls that a tool makes to other tools. They go through the gate in the toolset, mode and conversation of the outer
 * call.
 */
export interface NestedCalls {
  /** Finds a tool by name or alias. @throws ToolError unknown_tool, switched_off */
  find(name: string): Tool
  /** Resolves the tool and the arguments of a call. Runs nothing, and never throws: the run reports what is wrong. */
  prepare(name: string, args: unknown): NestedCall
}

/** A call whose tool and arguments have been resolved. */
export interface NestedCall {
  /** The tool that the call runs, or would run with other arguments. Undefined if it is unknown or turned off. */
  tool: Tool | undefined
  /** Whether it may run beside other calls: it is read-only and needs no approval. */
  runsInParallel: boolean
  /**
   * Never rejects: failures are results with `ok: false`. `signal` and the end of the outer call both cancel this call.
   */
  run(signal?: AbortSignal): Promise<ToolResult>
}

/** A kind of sub-agent that a plug-in brings. */
export interface AgentKind {
  /** `plugin:name`. */
  name: string
  description: string
  /** Names of the tools that it may use, as in Claude Code. Default: all. */
  tools?: readonly string[]
  /** `inherit`, or the name of a model. Default: the model for sub-agents. */
  model?: string
  /** Returns its instructions; null if they cannot be read any more. */
  instructions(): Promise<string | null>
}

/** A question for the conversation's model, answered outside the conversation. */
export interface SubAgentTask {
  system: string
  question: string
  /** `inherit` for the model of the conversation, or the name of another one. Default: the model for sub-agents. */
  model?: string
  /**
   * Main names of the read-only tools that the model may use; `read`: all read-only ones; `all`: all. Tools that make
   * calls themselves are left out.
   */
  tools: readonly string[] | 'read' | 'all'
  /** Maximum number of model requests. */
  maxTurns: number
  maxToolCalls: number
  /**
   * Maximum tokens that the model reads and writes, not counting the first prompt and the parts that a request repeats.
   */
  maxTokens: number
  /**
   * Schema of the answer, for servers that enforce one. Only for a request without tools: with them, it would prevent
   * calls.
   */
  answerSchema?: JsonSchema
  signal: AbortSignal
  /** Called before each tool call. */
  onCall(name: string, args: string): void
  /** Called after each tool call. @param mayHaveChanged whether the call may have changed something, even if it failed */
  onResult(line: CallLine, mayHaveChanged: boolean): void
}

/** Answer and statistics of a sub-agent. */
export interface SubAgentResult {
  /** Text of the last model message, without tool calls. Empty if the model gave no answer. */
  text: string
  turns: number
  toolCalls: number
  /** Tokens that the model read and wrote, as `SubAgentTask.maxTokens` counts them. */
  tokens: number
  /** `limit`: the model used all its turns for calls. `failed`: the endpoint failed, see `problem`. */
  ended: 'answered' | 'limit' | 'failed'
  problem: string
  /** The model that it ran on, if that is not the conversation's. */
  otherModel?: { model: string; server: string }
  /** Whether it ran on the conversation's model, because the one that the task names may not be used or is not there. */
  isNamedMissing?: true
  /** Tokens of the conversation that the model server may read again because of the sub-agent. */
  lostTokens?: number
}

/**
 * Runs a sub-agent on the model of the calling conversation. Its calls go through the gate. An endpoint failure is
 * reported in `ended`.
 * @throws AbortError if `signal` aborts
 */
export type RunSubAgent = (task: SubAgentTask) => Promise<SubAgentResult>

/** The part of the language servers that tools use. */
export interface LanguageTools extends Pick<
  LanguageServers,
  'state' | 'diagnose' | 'rename' | 'codeActions' | 'runCodeAction' | 'editErrors'
> {
  /** Refuses changes to protected and secret files that the call did not name. @throws ToolError refused */
  checkChange(path: string): void
}

/** Services that a tool may use. Tools access the disk, processes and the window only through them. */
export interface ToolContext {
  callId: string
  conversationId?: string
  /** User message of the agent's turn, for calls of its sub-agents too. Absent for other callers. */
  turn?: string
  workspace: Workspace
  /** Text as the user sees it: from the open tab, otherwise from disk. */
  documents: Documents
  /** File operations other than reading and writing text. */
  files: FileOperations
  search: Search
  /** Symbols and their references. */
  code: CodeIndex
  /** Absent if no embedding model is selected. */
  rankByMeaning?: RankByMeaning | undefined
  /** Language servers of the folder. They answer only in trusted folders. */
  languages: LanguageTools
  /** Debugs programs of the folder. Only in trusted folders. */
  debug: { sessions: DebugSessions; targets: DebugTargets }
  /** Kernels of notebooks. Only in trusted folders. */
  notebooks: Pick<NotebookKernels, 'kernels' | 'run' | 'sandbox'>
  /** A page in a browser of its own. */
  preview: Preview
  jobs: Jobs
  /** How the command of this call may run. */
  commandSandbox?: CommandSandbox
  /** Git without hooks, filters and other commands from a repository's configuration. */
  git: Git
  web: Web
  /** Processes hostile content, such as documents, outside this process. */
  runIsolated: RunIsolated
  editor: EditorPort
  /** Stores replaced content for undo. */
  journal: EditJournal
  /** Checkpoints of the workspace or of single files. */
  checkpoints: Checkpoints
  /** Skills of the workspace and of the user. */
  skills: Skills
  signal: AbortSignal
  /** Whether a user can watch the call and answer prompts. Default: true. */
  attended?: boolean
  progress(progress: ToolProgress): void
  /** Tools that a call can name. Absent if the tool is run without the executor. */
  tools?: readonly Tool[]
  /** Absent in nested calls, which cannot be nested further. */
  nested?: NestedCalls
  /** Absent without a model: in nested calls, the tool console, the command line and other clients. */
  subAgent?: RunSubAgent
}

/** The services of the open workspace in a `ToolContext`. Its other fields belong to one call. */
export type ToolServices = Omit<
  ToolContext,
  'callId' | 'conversationId' | 'turn' | 'commandSandbox' | 'signal' | 'progress' | 'tools' | 'nested' | 'subAgent'
>

/** Result of a tool before truncation. */
export interface ToolOutput {
  /** Text for the model. */
  text: string
  /** `json` is truncated inside its fields, so that it still parses. Default: `text`. */
  format?: 'text' | 'json'
  /**
   * Number of bytes and lines that the tool already removed from the middle of `text`. Added to the counts of a later
   * truncation.
   */
  missing?: { lines: number; bytes: number }
  /** The tool has truncated `text` and reports what is missing, so the toolset does not truncate it again. */
  selfTruncated?: true
  /** How a model gets the rest of a truncated text, without the final period. Default: the hint of the toolset. */
  readMoreHint?: string
  /** Part of a page that nobody sees, which is searched for text that addresses the model. */
  invisible?: string
  /** Access that the sandbox denied to a command. */
  denial?: SandboxDenial
  /** View for the panel. Default: `{ kind: 'text' }` or `{ kind: 'json' }`. */
  view?: ToolView
}

/** Preview of a call, shown in the approval request. */
export interface ToolPreview {
  view?: ToolView
}

/** A command line as the user and the approval rules see it. */
export interface CommandLine {
  command: string
  /** Working folder, relative to the workspace; undefined if an external agent does not report it. */
  cwd?: string
  /** A program that runs already executes it as code. No allow rule and no prefix covers it. */
  isCode?: true
  /** How it runs, if that is known already. Default: as the sandbox plans the command. */
  sandbox?: CommandSandbox
}

/**
 * Definition of a tool. `schema` contains each parameter under its main name, with a description and an optional
 * `.default()`. JSON Schema, text prompt, console form and documentation derive from it.
 */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  name: string
  /** Further names that run the tool. They are not offered to models. */
  aliases?: readonly string[]
  title: string
  description: string
  /** Highest risk that a call can have. */
  risk: Risk
  /** Risk of a call with these arguments, at most `risk`. */
  riskOf?(args: z.output<Schema>): Risk
  /**
   * Side effect of a tool with risk `read`. Such a tool is not allowed in a batch and is not marked read-only for
   * clients.
   */
  effect?: ToolEffect
  /** A read-only tool that makes many calls or model requests itself and therefore does not run beside other calls. */
  serial?: true
  /**
   * All changes are made by the sub-agent's calls, each with its own approval and record. The sub-agent may make
   * changes if the risk of the call is above `read`.
   */
  delegates?: true
  /** The tool uses a model, so its result is not deterministic. */
  asksModel?: true
  /** The tool accesses the web. It is not offered while web access is off. */
  web?: true
  /** The tool returns content of a page, which may contain instructions for the model. */
  page?: true
  schema: Schema
  /** JSON Schema for models, if `schema` was derived from it. */
  parameters?: JsonSchema
  /** MCP server that provides the tool. */
  server?: string
  /** Main names of parameters by alias. */
  parameterAliases?: Readonly<Record<string, keyof z.input<Schema> & string>>
  /** Parameters of similar tools in other agents. They are ignored instead of refused. */
  ignoredParameters?: readonly string[]
  /** Parameters that are accepted but not offered: formats of other agents, which would cost tokens in each prompt. */
  unlistedParameters?: readonly (keyof z.input<Schema> & string)[]
  /** Derives missing arguments from others before validation. Pure. @throws ToolError invalid_arguments */
  complete?(given: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Workspace paths that a call writes, moves or deletes, as passed. Protected paths always require approval. */
  writes?(args: z.output<Schema>): string[]
  /** Workspace paths whose content a call returns, as passed. Secret files always require approval. */
  reads?(args: z.output<Schema>): string[]
  /** The open file that a call reads or changes although no argument names it. The gate treats it like named files. */
  activeFile?: { use: 'reads' | 'writes'; find(context: Pick<ToolContext, 'editor' | 'signal'>): Promise<string> }
  /**
   * Workspace folders that a call deletes, moves or copies recursively. Protected paths below them require approval
   * too.
   */
  writesBelow?(args: z.output<Schema>): string[]
  /** Folder that a call moves or copies. Files in it can get a protected name, or lose a secret one. */
  renames?(args: z.output<Schema>): { source: string; destination: string }
  /** Method and origin of the request, e.g. `GET https://example.com`, if a grant can be limited to them. */
  scope?(args: z.output<Schema>): string | undefined
  /**
   * Shows what a call would do, without side effects. Called only if the call needs the user's approval. `run` gets the
   * same object of arguments, as after `commandLine`.
   */
  preview?(args: z.output<Schema>, context: ToolContext): Promise<ToolPreview>
  /**
   * Returns the command line that `run` runs with the same arguments. Called before every call, because grants are
   * matched against it. Only tools that run commands have it.
   * @throws ToolError for invalid arguments, like `run`
   */
  commandLine?(args: z.output<Schema>, context: ToolContext): Promise<CommandLine>
  /** Returns new arguments for a command line that the user edited. Without it, the user can only allow or refuse. */
  withCommand?(args: z.output<Schema>, command: string): Record<string, unknown>
  /** Returns the call that runs instead of this one. @throws ToolError invalid_arguments */
  standsFor?(args: z.output<Schema>): { name: string; arguments: unknown }
  /**
   * The smallest prompt profile that lists the tool, for tools of every toolset. Default: `compact`. With smaller
   * profiles, it can still be called by name.
   */
  smallestProfile?: 'full' | 'medium'
  /** MCP clients get the tool too, although it belongs to no toolset. */
  forClients?: true
  /** The tool is useful only after this one, so lists of unlisted tools name that one alone. */
  follows?: string
  /** Example arguments, shown in docs/tools.md and run by a test. */
  examples?: readonly z.input<Schema>[]
  run(args: z.output<Schema>, context: ToolContext): Promise<ToolOutput>
}

/**
 * Checks a tool against its argument types. Toolsets hold tools as plain `Tool`. The schema is built when a call first
 * needs it, because building those of all tools would slow down each start.
 */
export function defineTool<Schema extends z.ZodObject>(
  tool: Omit<Tool<Schema>, 'schema'> & { schema: () => Schema },
): Tool {
  const defined = Object.defineProperty({ ...tool }, 'schema', { get: once(tool.schema), enumerable: true })
  // The executor passes only the output of `schema` to `run`, so dropping the exact type is safe.
  return defined as unknown as Tool
}

/** The tools that a family of models was trained on, under the names that these models know. */
export interface Toolset {
  name: ToolsetName
  /** Display name, e.g. "Zaguán Blade". */
  title: string
  tools: readonly Tool[]
  /**
   * Core tools for small context windows, by main name (promptTools.ts): enough to read, search, edit, write, list and
   * run commands.
   */
  core?: Readonly<Record<string, CoreTool>>
  /** Further tools for context windows of about 16k tokens. They replace tools of the same name in `core`. */
  medium?: Readonly<Record<string, CoreTool>>
  /** Truncates long results by the rule of the toolset. */
  truncate(output: ToolOutput): { text: string; truncated: boolean }
}

/** How a tool is offered in a small context window. Required parameters are always included. */
export interface CoreTool {
  /** Optional parameters to include. */
  optional?: readonly string[]
  /** Parameters that are required here, because the alternative to them is not offered. */
  required?: readonly string[]
  /** Replaces the first sentence of the description. */
  brief?: string
  /** Also offered in the smallest context windows. */
  minimal?: true
}
