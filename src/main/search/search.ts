import type { Match } from '../../shared/tool.ts'
import type { Workspace } from '../workspace/containment.ts'
import { searchFiles } from './fileSearch.ts'
import type { FileQuery, FileResult, SearchCall, SearchParts, TextQuery, TextResult } from './searchQuery.ts'
import { createRipgrep } from './ripgrep.ts'
import { searchText } from './textSearch.ts'
import { listTree, type Tree, type TreeQuery } from './folderTree.ts'

export type { FileQuery, FileResult, SearchCall, TextQuery, TextResult } from './searchQuery.ts'
export type { Tree, TreeFolder, TreeNode, TreeQuery } from './folderTree.ts'

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
