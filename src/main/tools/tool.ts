import type { z } from 'zod'
import type { Risk } from '../../shared/risk.ts'
import type { JsonSchema, ToolEffect, ToolProgress, ToolResult, ToolView } from '../../shared/tool.ts'
import type { CodeIndex } from '../code/index/codeIndex.ts'
import type { Skill } from '../instructions/skills.ts'
import type { Jobs } from '../command/jobs.ts'
import type { Git } from '../git/git.ts'
import type { Search } from '../search/search.ts'
import type { Documents } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import type { EditorPort } from '../workspace/editorPort.ts'
import type { Web } from '../web/webAccess.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Checkpoints } from '../history/checkpoints/checkpoints.ts'
import type { EditJournal } from '../history/editJournal.ts'

/** What `load_skill` reads. */
export interface Skills {
  /** Throws `not_found` with the names there are. */
  load(name: string, signal: AbortSignal): Promise<{ skill: Skill; text: string }>
}

/** How a tool that is made of other calls makes them: through the gate, in the toolset, mode and conversation of its own call. */
export interface NestedCalls {
  /** The tool of a name or alias; nothing is run. Throws `unknown_tool` and `switched_off`. */
  find(name: string): Tool
  /** Whether a call only reads and needs no approval, so that it may run beside others. Runs nothing. */
  runsInParallel(name: string, args: unknown): boolean
  /** Never throws: every failure is a result with `ok: false`. `signal` ends this call, as the end of the outer one does. */
  call(name: string, args: unknown, signal?: AbortSignal): Promise<ToolResult>
}

/** A question that the conversation's model answers on its own, apart from the conversation. */
export interface SubAgentTask {
  system: string
  question: string
  /** Main names of the tools it may use; only those that merely read are given to it. */
  tools: readonly string[]
  /** Requests to the model. */
  maxTurns: number
  maxToolCalls: number
  signal: AbortSignal
  /** Told of each call before it is made. */
  onCall(name: string, args: string): void
}

export interface SubAgentResult {
  /** What the model said last, apart from its calls; '' when it did not come to an answer. */
  text: string
  turns: number
  toolCalls: number
  /** `limit`: it went on calling when it had no turn left. `failed`: the endpoint did, and `problem` says how. */
  ended: 'answered' | 'limit' | 'failed'
  problem: string
}

/**
 * Asks the model of the conversation that a call belongs to. Its calls go through the gate as the tool's own do.
 * Throws an AbortError when `signal` aborts; a failing endpoint is no exception but an `ended`.
 */
export type RunSubAgent = (task: SubAgentTask) => Promise<SubAgentResult>

/** Everything a tool may use. It has no other way to the disk, to processes or to the window. */
export interface ToolContext {
  callId: string
  conversationId?: string
  workspace: Workspace
  /** Text as the user sees it: open buffers first, then the disk. */
  documents: Documents
  /** Moving, copying, deleting, listing: what is not text. */
  files: FileOperations
  search: Search
  /** Symbols and how they hang together. */
  code: CodeIndex
  jobs: Jobs
  /** Neutralised: runs nothing that a repository's configuration names. */
  git: Git
  web: Web
  editor: EditorPort
  /** Keeps what an edit replaced, so that it can be taken back. */
  journal: EditJournal
  /** States of the whole workspace, or of some files, that can be gone back to. */
  checkpoints: Checkpoints
  /** Instructions for special tasks, of the workspace and of its user. */
  skills: Skills
  signal: AbortSignal
  progress(progress: ToolProgress): void
  /** Absent in a nested call, so that calls do not nest further. */
  nested?: NestedCalls
  /** Absent where no model is in use: in a nested call, from the tool console, the command line and other clients. */
  subAgent?: RunSubAgent
}

export interface ToolOutput {
  /** For the model. */
  text: string
  /** `json`: shortened inside its fields, so that it still parses. Default `text`. */
  format?: 'text' | 'json'
  /** What was dropped from the middle of `text` before, where a line says so: counted when the text is shortened further. */
  missing?: { lines: number; bytes: number }
  /** The tool has bounded the text itself, to what its document names, and says what is missing: it is not shortened again. */
  bounded?: true
  /** How to read what is missing when the text has to be shortened. Default: with read_file_range or a narrower search. */
  more?: string
  /** For the panel. Default `{ kind: 'text' }` or `{ kind: 'json' }`. */
  view?: ToolView
}

/** What the user sees before a call that needs approval. */
export interface ToolPreview {
  view?: ToolView
}

/** A command line as the user and the approval rules see it. */
export interface CommandLine {
  command: string
  /** Working folder, relative to the workspace. */
  cwd: string
}

/**
 * A tool. `schema` names every parameter by its main name, with a description and, where there is one, a `.default()`.
 * JSON Schema, text prompt, console form and documentation derive from it.
 */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  name: string
  /** Names that run the same tool and are not offered to a model. */
  aliases?: readonly string[]
  title: string
  description: string
  /** The highest risk a call can have. */
  risk: Risk
  /** A call's own risk where it depends on the arguments (never above `risk`). */
  riskOf?(args: z.output<Schema>): Risk
  /** For tools of risk `read` that do more than look. They do not go into a batch, and no client is told that they only read. */
  effect?: ToolEffect
  /** A read-only tool that makes many calls or model requests itself and therefore does not run beside other calls. */
  serial?: true
  /** Reaches the web: it is not offered while the user has the web switched off. */
  web?: true
  schema: Schema
  /** The parameters as they are offered, where `schema` was made of them and not the other way round. */
  parameters?: JsonSchema
  /** The MCP server it comes from. */
  server?: string
  /** Alias of a parameter -> its main name. */
  parameterAliases?: Readonly<Record<string, keyof z.input<Schema> & string>>
  /** Parameters of other systems' tools of the same kind that mean nothing here: left out, not refused. */
  ignoredParameters?: readonly string[]
  /** Parameters that are accepted and not offered: other systems' forms of what the tool does, which would cost every prompt tokens. */
  unlistedParameters?: readonly (keyof z.input<Schema> & string)[]
  /** Fills in what other given arguments say already, before they are checked. Pure. Throws `invalid_arguments`. */
  complete?(given: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Workspace paths a call writes, moves or deletes, as given; protected paths among them are always asked. */
  writes?(args: z.output<Schema>): string[]
  /** Workspace paths a call deletes, moves or copies with everything below them: a protected path down there is asked as well. */
  writesBelow?(args: z.output<Schema>): string[]
  /** Method and origin of the request a call makes, e.g. `GET https://example.com`, where a grant may cover just these. */
  scope?(args: z.output<Schema>): string | undefined
  /** Shows what a call would do, without side effects. Called only if the call needs the user's approval. */
  preview?(args: z.output<Schema>, context: ToolContext): Promise<ToolPreview>
  /**
   * Returns the command line that `run` runs with the same arguments. Called before every call, because grants are matched
   * against it. Only tools that run commands have it. @throws ToolError as `run` does for arguments that no command can have
   */
  commandLine?(args: z.output<Schema>, context: ToolContext): Promise<CommandLine>
  /** The user's edited command line as new arguments. Only tools that run commands have it. */
  withCommand?(args: z.output<Schema>, command: string): Record<string, unknown>
  /** A few real argument objects, shown in docs/tools.md and run by a test. */
  examples?: readonly z.input<Schema>[]
  run(args: z.output<Schema>, context: ToolContext): Promise<ToolOutput>
}

/** Keeps a tool's argument type while it is written; a toolset holds them as plain `Tool`. */
export function defineTool<Schema extends z.ZodObject>(tool: Tool<Schema>): Tool {
  // The executor only ever passes `run` what `schema` returned, so forgetting the exact type here is sound.
  return tool as unknown as Tool
}
