import type { TextMateTheme } from '../../platform/editor/monaco/textMateTheme.ts'

/** A grammar as the worker needs it: languages are numbers of Monaco. */
export interface WorkerGrammar {
  scopeName: string
  injectTo: string[]
  /** Absent for a grammar that only others include. */
  languageId?: number
  embeddedLanguages: Record<string, number>
  tokenTypes: Record<string, number>
  balancedBracketSelectors: string[]
  unbalancedBracketSelectors: string[]
}

/** A change of a text. Lines and columns are 1-based, as in Monaco. */
export interface LineChange {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
  text: string
}

/** To the worker. `id` names a text; `version` is Monaco's. */
export type ToWorker =
  | { kind: 'start'; wasmUrl: string; grammars: WorkerGrammar[] }
  | { kind: 'theme'; theme: TextMateTheme }
  | { kind: 'grammarText'; scopeName: string; path: string; text: string | null }
  | { kind: 'open'; id: number; version: number; scopeName: string; text: string }
  | { kind: 'change'; id: number; version: number; changes: LineChange[] }
  | { kind: 'close'; id: number }

/** From the worker. */
export type FromWorker =
  | { kind: 'needsGrammar'; scopeName: string }
  /** The grammar cannot be used. */
  | { kind: 'failed'; scopeName: string; message: string }
  /** Begins to tokenize lines with a grammar. If `rested` does not follow soon, one match takes too long. */
  | { kind: 'working'; scopeName: string }
  | { kind: 'rested' }
  /** Tokens of successive lines, in Monaco's binary format. `done`: no line of the text is left. */
  | { kind: 'tokens'; id: number; version: number; firstLine: number; tokens: Uint32Array[]; done: boolean }
