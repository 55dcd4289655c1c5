import type { Match } from '../../shared/tools/tool.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { EncodingLookup } from '../workspace/fileEncodings.ts'
import type { Ripgrep } from './ripgrep.ts'

/** Parameters of a text search. */
export interface TextQuery {
  /** Regular expression in ripgrep's (Rust) syntax, matched line by line. */
  pattern: string
  /** Files or folders, default the whole workspace. Hidden and ignored ones are searched if listed here. */
  paths?: readonly string[]
  /** Globs of files relative to the workspace: `*.ts`, `src/**`; a leading `!` excludes files. */
  globs?: readonly string[]
  /** Default true. */
  caseSensitive?: boolean
  /** Whether the pattern is literal text. */
  fixed?: boolean
  wholeWord?: boolean
  /** Adds `replacements` to the matches. With a regular expression, `$1` and `${name}` refer to its groups. */
  replacement?: string
  /** Number of context lines before and after each match, default 0. */
  context?: number
  /**
   * Maximum number of matches returned, default 1000. If there are more, they are spread over the files, the same in
   * every run.
   */
  maxResults?: number
  /** Maximum number of matches per file; others are not counted. Default unlimited. */
  maxPerFile?: number
  /** Maximum UTF-16 units of a line, default 500. Longer lines are truncated around the match. */
  maxText?: number
  /** Also searches installed dependencies (node_modules, vendor, …), ignored or not. */
  includeDependencies?: boolean
  /** Omits files by path, e.g. secret ones. */
  leaveOut?(path: string): boolean
  /** Milliseconds after which the matches so far are returned. Default unlimited. */
  timeoutMs?: number
}

/** Result of a text search. */
export interface TextResult {
  /** Sorted by path and line. */
  matches: Match[]
  /** Number of matching lines, including those not returned. */
  total: number
  /** Whether counting stopped, so that there may be more matches than `total`. */
  totalIsMinimum: boolean
  /** Whether some matches are not returned. */
  truncated: boolean
  timedOut: boolean
  /** Number of files with a match. */
  files: number
  /** Number of files searched; 0 if the search was stopped early. */
  filesSearched: number
  /** Unreadable paths with the reason. */
  skipped: string[]
  /** Binary files that were skipped. */
  binary: string[]
  elapsedMs: number
}

/** Parameters of a file search. */
export interface FileQuery {
  /** Folder to search, default the workspace. */
  path?: string
  /** Relative to `path`. `*` does not match `/`; without `/` the glob matches at any depth. Default every file. */
  glob?: string
  /** Default false. */
  caseSensitive?: boolean
  /** Number of levels; 1 finds only files directly in `path`. */
  maxDepth?: number
  /** Default 1000. */
  maxResults?: number
  includeDependencies?: boolean
  /** Omits files by path, e.g. secret ones. */
  leaveOut?(path: string): boolean
}

/** Result of a file search. */
export interface FileResult {
  /** Relative to the workspace, sorted. */
  paths: string[]
  total: number
  truncated: boolean
  /** Number of files checked. */
  filesSearched: number
  skipped: string[]
}

/** Cancellation and progress of a search. */
export interface SearchCall<Item = never> {
  /** Aborting stops ripgrep; the call fails with `cancelled`. */
  signal: AbortSignal
  /** Receives matches as they arrive, unsorted. */
  onFound?(items: Item[]): void
}

/** Dependencies shared by the searches. */
export interface SearchDeps {
  workspace: Workspace
  ripgrep: Ripgrep
  dirtyBuffers(): { path: string; text: string }[]
  /** Returns a file's encoding; null if it is binary or cannot be read. Absent: all files are Unicode. */
  encodingOf?: EncodingLookup | undefined
}
