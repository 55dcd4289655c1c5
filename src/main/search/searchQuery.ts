import type { Match } from '../../shared/tool.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Ripgrep } from './ripgrep.ts'

export interface TextQuery {
  /** A regular expression of ripgrep's (Rust) syntax, matched line by line. */
  pattern: string
  /** Files or folders, default the whole workspace. Hidden and ignored ones are searched when they are named here. */
  paths?: readonly string[]
  /** Only these files, relative to the workspace: `*.ts`, `src/**`; `!` in front leaves files out. */
  globs?: readonly string[]
  /** Default true. */
  caseSensitive?: boolean
  /** The pattern is plain text. */
  fixed?: boolean
  wholeWord?: boolean
  /** Lines to show before and after each match, default 0. */
  context?: number
  /** Matching lines to return, default 1000. Where there are more they are spread over the files, the same ones each time. */
  maxResults?: number
  /** Matching lines of one file to look at; the others are not counted either. Default: all. */
  maxPerFile?: number
  /** Longer lines are cut around the match; UTF-16 units, default 500. */
  maxText?: number
  /** Also search installed dependencies (node_modules, vendor, …), ignored or not. */
  includeDependencies?: boolean
  /** Milliseconds; then what was found so far is returned. Default: no limit. */
  timeoutMs?: number
}

export interface TextResult {
  /** By path and line. */
  matches: Match[]
  /** Matching lines, those not returned included. */
  total: number
  /** Counting stopped at `total`: there may be more. */
  atLeast: boolean
  /** Not every match is returned. */
  truncated: boolean
  timedOut: boolean
  /** Files with a match. */
  files: number
  /** Files looked into; 0 when the search was ended early. */
  filesSearched: number
  /** What could not be read, with the reason. */
  skipped: string[]
  /** Files left because they are binary. */
  binary: string[]
  elapsedMs: number
}

export interface FileQuery {
  /** Folder to search, default the workspace. */
  path?: string
  /** Relative to `path`. `*` does not cross `/`; without a `/` it matches in any folder. Default: every file. */
  glob?: string
  /** Default false. */
  caseSensitive?: boolean
  /** 1: only files directly in `path`. */
  maxDepth?: number
  /** Default 1000. */
  maxResults?: number
  includeDependencies?: boolean
}

export interface FileResult {
  /** Relative to the workspace, sorted. */
  paths: string[]
  total: number
  truncated: boolean
  /** Files looked at. */
  filesSearched: number
  skipped: string[]
}

export interface SearchCall<Item = never> {
  /** Aborting ends ripgrep; the call then fails with `cancelled`. */
  signal: AbortSignal
  /** Gets what was found as it arrives, unsorted. */
  onFound?(items: Item[]): void
}

/** What the parts of a search share. */
export interface SearchParts {
  workspace: Workspace
  ripgrep: Ripgrep
  dirtyBuffers(): { path: string; text: string }[]
}
