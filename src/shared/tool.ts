import type { Failure } from './errors.ts'
import type { Risk } from './risk.ts'

/** A JSON Schema (draft 2020-12) as zod derives it. */
export type JsonSchema = { [key: string]: unknown }

/** A tool as the window, a model or a document sees it: everything but how it runs. */
export interface ToolInfo {
  name: string
  /** Other names the same tool answers to. They run, but only `name` is offered to a model. */
  aliases: string[]
  /** Short human title, e.g. "Read file". */
  title: string
  description: string
  /** The highest risk a call can have; a call's own risk may be lower. */
  risk: Risk
  /** It asks for nothing, but does more than look: it moves the user's editor, or ends a process. */
  effect?: ToolEffect
  /** Set while it is not offered and not run. */
  off?: ToolOff
  schema: JsonSchema
  /** Of an MCP server, by this name; not part of a toolset. */
  server?: string
  /** Alias of a parameter -> its main name. */
  parameterAliases: Record<string, string>
}

export type ToolEffect = 'editor' | 'process'

/** Why a tool is switched off: the user chose so, or the web is off altogether. */
export type ToolOff = 'settings' | 'web'

export interface FileDiff {
  /** Relative to the workspace, `/` separated. */
  path: string
  change: 'created' | 'modified' | 'deleted' | 'renamed'
  /** For `renamed`: where it was. */
  from?: string
  /** Unified diff, empty for binary or whole-folder changes. */
  diff: string
  added: number
  removed: number
}

/** A place in a file that does not parse. */
export interface SyntaxProblem {
  path: string
  /** 1-based. */
  line: number
  message: string
}

export interface Match {
  /** Relative to the workspace, `/` separated. */
  path: string
  /** 1-based. */
  line: number
  /** 1-based column of the first hit, in UTF-16 units. */
  column?: number
  text: string
  before?: string[]
  after?: string[]
}

/** A symbol as a row that leads to its place. */
export interface SymbolLine {
  path: string
  /** 1-based. */
  line: number
  /** Function, class, … as the code index says; empty for a place that is not inside of one. */
  kind: string
  name: string
  signature: string
  /** Of an outline's tree: 0 at the file's top level. */
  depth: number
  /** Heading it stands under; rows of one group stand together. Default: its file. */
  group?: string
  /** Only the name agrees; no import or scope leads there. */
  unsure?: boolean
}

/** One call of several that were made as one. */
export interface CallLine {
  tool: string
  arguments: Record<string, unknown>
  ok: boolean
  /** The beginning of what the model reads, or why it failed. */
  text: string
  view: ToolView
  elapsedMs: number
}

/** A picture that a result brings, for the user's eyes. */
export interface Picture {
  mimeType: string
  /** Base64. */
  data: string
}

/** States of a step. Claude Code and Codex use the same words, which most models know. */
export const todoStates = ['pending', 'in_progress', 'completed'] as const
export type TodoState = (typeof todoStates)[number]

/** A step of the list that a model keeps for itself and the user (`todo_write`). */
export interface TodoItem {
  content: string
  status: TodoState
}

/** What the panel draws for a result. The model reads the text beside it instead. */
export type ToolView =
  | { kind: 'text' }
  | { kind: 'json' }
  | { kind: 'file'; path: string; startLine: number; endLine: number; totalLines: number; unsaved: boolean }
  | {
      kind: 'diff'
      files: FileDiff[]
      /** Set when the change can be taken back. */ editId?: string
      /** Changed in an open tab but not saved. */ unsaved?: boolean
      note?: string
      /** Errors of the language that the change brought. */ problems?: SyntaxProblem[]
    }
  | { kind: 'matches'; pattern: string; matches: Match[]; total: number; truncated: boolean }
  | { kind: 'files'; paths: string[]; total: number; truncated: boolean }
  | { kind: 'symbols'; symbols: SymbolLine[]; note?: string }
  | { kind: 'calls'; calls: CallLine[] }
  | { kind: 'page'; /** What a person reads of a result in JSON. */ text: string; note?: string }
  | { kind: 'pictures'; pictures: Picture[] }
  | { kind: 'command'; job: JobInfo }
  | { kind: 'todos'; todos: TodoItem[] }
  | { kind: 'editor'; action: string; path?: string; line?: number; text?: string }

/** What the executor answers, to everyone who calls a tool. */
export interface ToolResult {
  ok: boolean
  /** For the model, truncated by the toolset's rule. On failure: the error in words with the next step. */
  text: string
  view: ToolView
  /** `text` is JSON. */
  format?: 'json'
  error?: Failure
  elapsedMs: number
  /** The arguments that really ran, after aliases, coercion and any edit by the user. */
  arguments: Record<string, unknown>
  /** The model's arguments were broken JSON or of other types, and were put right. */
  repaired?: boolean
  /** The tool that ran, where the model called another name or with another tool's parameters. */
  ranTool?: string
  /** True when `text` was shortened; the full text can be asked for by the call's id. */
  truncated: boolean
  /** How many bytes of the whole result `text` lacks, where it was shortened. */
  droppedBytes?: number
}

/** Sent while a call is under way. */
export type ToolProgress =
  | { kind: 'text'; text: string }
  | { kind: 'matches'; matches: Match[] }
  | { kind: 'job'; job: JobInfo }

export type JobState = 'running' | 'waiting_for_input' | 'exited' | 'killed' | 'failed'

/** A command or terminal under way or ended, as the jobs list shows it. */
export interface JobInfo {
  id: string
  kind: 'command' | 'terminal'
  /** The command line as a person would type it. */
  command: string
  /** Relative to the workspace, `.` for the root. */
  cwd: string
  state: JobState
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt?: number
  exitCode?: number
  /** Name of the signal that ended it, e.g. `SIGTERM`. */
  signal?: string
  /** Why it was ended, when Tizona did it. */
  endedBy?: 'timeout' | 'cancel' | 'stop' | 'shutdown'
}
