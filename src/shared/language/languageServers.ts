// Results of language servers for the window and the tools. Lines and columns are 1-based; columns count UTF-16 units.

/** A range in a text, from its start to its end, exclusive. */
export interface TextRange {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

/** Replacement of a range. The edits of a list refer to the same text and do not overlap. */
export interface RangeEdit {
  range: TextRange
  text: string
}

export const problemSeverities = ['error', 'warning', 'info', 'hint'] as const
export type ProblemSeverity = (typeof problemSeverities)[number]

/** A problem that a language server reports in a file. */
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
  /** Other places that explain the problem. */
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
 * `off`: switched off or not allowed. `missing`: not found on this machine. `waiting`: starts with the first file of
 * its language. `blocked`: its program must not run for now. `restarting`: ended unexpectedly and starts again after a delay. `failed`: ended too often.
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
  /** Names of the languages. */
  languages: string[]
  state: LanguageServerState
  /** Why the server has this state, or which program runs; '' if there is nothing to add. */
  detail: string
  /** Whether Tizona can download it. */
  installable: boolean
  /** Bytes of memory, measured every few seconds while it runs. */
  memory?: number
}

/** The servers of the open folder, and the problems in its files. */
export interface LanguageState {
  servers: LanguageServerStatus[]
  problems: FileProblems[]
  /** Programs of the folder that are new or changed since the user trusted it, so they need approval. */
  programs: string[]
}

/** What the servers of a file support. */
export interface LanguageFeatures {
  /** Characters that request completions. */
  completionTriggers: string[]
  signatureTriggers: string[]
  signatureRetriggers: string[]
  formatting: boolean
  rangeFormatting: boolean
  foldingRanges: boolean
  inlayHints: boolean
  /** Tokens of whole files. */
  semanticTokens: boolean
  /** Tokens of parts of files. */
  semanticTokensOfRanges: boolean
  codeActions: boolean
}

export interface CompletionItem {
  label: string
  /** Text after the label, such as a signature. */
  labelDetail?: string
  /** Text at the right, such as the module. */
  description?: string
  /** Kind as in the Language Server Protocol, from 1 (text) to 25 (type parameter). */
  kind: number
  detail?: string
  documentation?: string
  sortText?: string
  filterText?: string
  insertText: string
  /** Whether `insertText` is a snippet. */
  snippet: boolean
  range?: TextRange
  /** Replaced range if the text after the cursor is replaced too. */
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
  /** Whether more typing requires a new list. */
  incomplete: boolean
}

/** The parts of an item that servers compute when the user selects it. */
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
  /** `textHash` of the text that the edits refer to. They must not be applied to another text. */
  textHash: string
  edits: RangeEdit[]
}

/** An entry that moves or is renamed. Paths of the workspace. */
export interface FileMove {
  from: string
  to: string
}

/** What language servers change in files because entries move. Paths are those before the move. */
export interface MoveEdits {
  files: FileEdits[]
  /** Files for which a server has contradictory edits, which are left out. */
  unclear: string[]
  /** Whether the user is asked before the edits are applied. */
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
  /** Messages of the problems that it fixes. */
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

/** Names of the types and modifiers in `SemanticTokens`, in the order of their numbers. */
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
