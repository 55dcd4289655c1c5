/** A folder of a multi-root workspace. */
export interface WorkspaceFolder {
  /** First part of every path in the folder. Unique in the workspace. */
  name: string
  /** Real path. */
  path: string
}

/** Extension of the files that describe multi-root workspaces, as in VS Code. */
export const workspaceFileExtension = '.code-workspace'
