import type { Match } from '../../shared/tools/tool.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { EncodingLookup } from '../workspace/fileEncodings.ts'
import { searchFiles } from './fileSearch.ts'
import type { FileQuery, FileResult, SearchCall, SearchDeps, TextQuery, TextResult } from './searchQuery.ts'
import { createRipgrep, withoutOwnData } from './ripgrep.ts'
import { searchText } from './textSearch.ts'
import { listTree, type Tree, type TreeQuery } from './folderTree.ts'

export type { FileQuery, FileResult, SearchCall, TextQuery, TextResult } from './searchQuery.ts'
export type { Tree, TreeFolder, TreeNode, TreeQuery } from './folderTree.ts'

/**
 * Searches one workspace with ripgrep. Ignore rules apply, hidden and binary files are skipped, symlinks are not
 * followed.
 * @throws ToolError from every method: `outside_workspace`, `not_found`, `invalid_path`, `invalid_pattern`,
 * `cancelled`, `io_error`; `command_not_found` if ripgrep is missing
 */
export interface Search {
  /** Finds matching lines. Searches the unsaved text of open tabs instead of their files. */
  text(query: TextQuery, call: SearchCall<Match>): Promise<TextResult>
  /** Finds files by glob. @throws ToolError `not_a_directory` if `path` is a file */
  files(query: FileQuery, call: SearchCall): Promise<FileResult>
  /** Lists files and folders as a tree. @throws ToolError `not_a_directory`, `permission_denied` */
  tree(query: TreeQuery, call: SearchCall): Promise<Tree>
}

export interface SearchOptions {
  /** Unsaved text of open tabs, by path relative to the workspace. */
  dirtyBuffers?(): { path: string; text: string }[]
  /** Returns a file's encoding, to search text that is not Unicode. */
  encodingOf?: EncodingLookup
  /** Another ripgrep binary, for tests. */
  rgPath?: string
}

/** Creates the search service of a workspace. No process stays running between calls. */
export function createSearch(workspace: Workspace, options: SearchOptions = {}): Search {
  const deps: SearchDeps = {
    workspace,
    ripgrep: withoutOwnData(workspace, createRipgrep(options.rgPath)),
    dirtyBuffers: () => options.dirtyBuffers?.() ?? [],
    encodingOf: options.encodingOf,
  }
  return {
    text: (query, call) => searchText(deps, query, call),
    files: (query, call) => searchFiles(deps, query, call),
    tree: (query, call) => listTree(deps, query, call),
  }
}
