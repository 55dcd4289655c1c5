import type { Match } from '../../shared/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { searchFiles } from './fileSearch.ts'
import { createRipgrep, type Ripgrep } from './ripgrep.ts'
import { searchText } from './textSearch.ts'
import { listTree, type Tree, type TreeQuery } from './tree.ts'

export type { Tree, TreeFolder, TreeNode, TreeQuery } from './tree.ts'

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
  /** Matching lines to return, default 1000. */
  maxResults?: number
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

/**
 * Searches one workspace with ripgrep. Ignore rules hold, hidden and binary files are skipped, symlinks are not followed.
 * All calls throw `outside_workspace`, `not_found`, `invalid_path`, `invalid_pattern`, `cancelled`, `io_error`, and
 * `command_not_found` where ripgrep is missing.
 */
export interface Search {
  /** Lines that match. Unsaved text of open tabs is searched in place of what stands on disk. */
  text(query: TextQuery, call: SearchCall<Match>): Promise<TextResult>
  /** Files by glob. Throws `not_a_directory` for a file as `path`. */
  files(query: FileQuery, call: SearchCall): Promise<FileResult>
  /** Files and folders as a tree. Throws `not_a_directory`, `permission_denied`. */
  tree(query: TreeQuery, call: SearchCall): Promise<Tree>
}

export interface SearchOptions {
  /** Unsaved text of open tabs, by path relative to the workspace. */
  dirtyBuffers?(): { path: string; text: string }[]
  /** Another ripgrep, for tests. */
  rgPath?: string
}

/** What the parts of a search share. */
export interface SearchParts {
  workspace: Workspace
  ripgrep: Ripgrep
  dirtyBuffers(): { path: string; text: string }[]
}

/** The search service of one workspace. It keeps nothing running between calls. */
export function createSearch(workspace: Workspace, options: SearchOptions = {}): Search {
  const parts: SearchParts = {
    workspace,
    ripgrep: createRipgrep(options.rgPath),
    dirtyBuffers: () => options.dirtyBuffers?.() ?? [],
  }
  return {
    text: (query, call) => searchText(parts, query, call),
    files: (query, call) => searchFiles(parts, query, call),
    tree: (query, call) => listTree(parts, query, call),
  }
}
