// Types of language server results, for the window and the tools. Lines and columns are 1-based; columns count
// UTF-16 units.

/** A range in a text. The end is exclusive. */
export interface TextRange {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

/** Replacement of a range. The edits in a list refer to the same text and do not overlap. */
export interface RangeEdit {
  range: TextRange
  text: string
}

export const problemSeverities = ['error', 'warning', 'info', 'hint'] as const
export type ProblemSeverity = (typeof problemSeverities)[number]

/** A problem in a file, reported by a language server. */
export interface Problem {
  range: TextRange
  severity: ProblemSeverity
  message: string
  /** Name of the checker, e.g. "ts"; '' if unknown. */
  source: string
  /** Code of the rule or message; '' if there is none. */
  code: string
  /** Web page about the code. */
  codeUrl?: string
  tags: ('unnecessary' | 'deprecated')[]
  /** Other locations that explain the problem. */
  related: { path: string; range: TextRange; message: string }[]
}

export interface FileProblems {
  /** Relative to the workspace. */
  path: string
  problems: Problem[]
  /** Number of problems that are not listed, because there are too many. */
  more: number
}

/**
 * `off`: disabled or not allowed. `missing`: not installed on this machine. `waiting`: starts with the first file of
 * its language. `blocked`: its program may not run yet. `restarting`: exited unexpectedly and restarts after a delay.
 * `failed`: exited too often.
 */
export type LanguageServerState =
  | 'off'
  | 'missing'
  | 'blocked'
  | 'installing'
  | 'waiting'
  | 'starting'
  | 'running'
  | 'restarting'
  | 'failed'

export interface LanguageServerStatus {
  id: string
  /** Product name. */
  title: string
  /** Display names of its languages. */
  languages: string[]
  state: LanguageServerState
  /** Why the server is in this state, or which program is running; '' if there is nothing to add. */
  detail: string
  /** Whether Tizona can download it. */
  installable: boolean
  /** Memory in bytes, measured every few seconds while it runs. */
  memory?: number
}

/** The open folder's servers, and the problems in its files. */
export interface LanguageState {
  servers: LanguageServerStatus[]
  problems: FileProblems[]
  /** Programs in the folder that are new or have changed since the user trusted it, so they need approval. */
  programs: string[]
}

/** Features that a file's servers support. */
export interface LanguageFeatures {
  completionTriggers: string[]
  signatureTriggers: string[]
  signatureRetriggers: string[]
  formatting: boolean
  rangeFormatting: boolean
  foldingRanges: boolean
  /** Whether they find the ranges that change together, such as both names of an element. */
  linkedEditing: boolean
  inlayHints: boolean
  /** For whole files. */
  semanticTokens: boolean
  /** For parts of files. */
  semanticTokensOfRanges: boolean
  codeActions: boolean
}

export interface CompletionItem {
  label: string
  /** Text after the label, such as a signature. */
  labelDetail?: string
  /** Text on the right, such as the module. */
  description?: string
  /** Kind as in the Language Server Protocol, from 1 (text) to 25 (type parameter). */
  kind: number
  detail?: string
  documentation?: string
  sortText?: string
  filterText?: string
  /** Absent: the label. */
  insertText?: string
  /** Whether `insertText` is a snippet. Default false. */
  snippet?: boolean
  range?: TextRange
  /** Range to replace if the text after the cursor is replaced too. */
  replaceRange?: TextRange
  commitCharacters?: string[]
  preselect?: boolean
  deprecated?: boolean
  /** Edits elsewhere in the file, such as an import. */
  additionalEdits?: RangeEdit[]
}

export interface CompletionList {
  /** Identifies the list for `language.resolveCompletion`. */
  id: string
  items: CompletionItem[]
  /** What items have that do not say otherwise, because thousands would repeat it. */
  defaults: Pick<CompletionItem, 'range' | 'commitCharacters'>
  /** Whether more typing requires a new list. */
  incomplete: boolean
}

/** Parts of an item that servers compute only when the user selects it. */
export type CompletionDetail = Pick<CompletionItem, 'detail' | 'documentation' | 'additionalEdits'>

export interface SignatureHelp {
  signatures: {
    label: string
    documentation?: string
    /** Texts, or ranges in the label. */
    parameters: { label: string | [number, number]; documentation?: string }[]
    activeParameter?: number
  }[]
  activeSignature: number
  activeParameter: number
}

/** A change of a file by an action or rename. */
export interface FileEdits {
  path: string
  /** `textHash` of the text that the edits refer to. They must not be applied to any other text. */
  textHash: string
  edits: RangeEdit[]
}

/** A moved or renamed file or folder, with workspace-relative paths. */
export interface FileMove {
  from: string
  to: string
}

/** Edits that language servers propose because entries move. Paths are those before the move. */
export interface MoveEdits {
  files: FileEdits[]
  /** Files that are left out because the servers' edits contradict each other. */
  unclear: string[]
  /** Whether to ask the user before applying the edits. */
  ask: boolean
}

export interface CodeAction {
  /** Index in the list, for `language.runCodeAction`. */
  index: number
  title: string
  /** Kind as in the Language Server Protocol, e.g. "quickfix". */
  kind: string
  preferred: boolean
  /** Why the action cannot run; '' if it can. */
  disabled: string
  /** Messages of the problems that the action fixes. */
  fixes: string[]
}

export interface CodeActionList {
  id: string
  actions: CodeAction[]
}

export interface FoldingRange {
  startLine: number
  endLine: number
  kind?: 'comment' | 'imports' | 'region'
}

export interface InlayHint {
  line: number
  column: number
  text: string
  kind: 'type' | 'parameter' | 'other'
  tooltip?: string
  paddingLeft: boolean
  paddingRight: boolean
}

/** Tokens as five numbers each: line and column relative to the previous token, length, type and modifiers. */
export interface SemanticTokens {
  data: number[]
}

/** Names of the types and modifiers in `SemanticTokens`, by number. */
export const semanticTokenTypes = [
  'namespace',
  'type',
  'class',
  'enum',
  'interface',
  'struct',
  'typeParameter',
  'parameter',
  'variable',
  'property',
  'enumMember',
  'event',
  'function',
  'method',
  'macro',
  'keyword',
  'modifier',
  'comment',
  'string',
  'number',
  'regexp',
  'operator',
  'decorator',
  'label',
] as const
export const semanticTokenModifiers = [
  'declaration',
  'definition',
  'readonly',
  'static',
  'deprecated',
  'abstract',
  'async',
  'modification',
  'documentation',
  'defaultLibrary',
] as const
