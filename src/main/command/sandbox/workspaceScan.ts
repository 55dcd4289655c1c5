/** What the sandbox needs to know about the files of a workspace. Absolute paths. */
export interface WorkspaceScan {
  /** `.git` folders, `.git` files of worktrees and submodules, and bare repositories. */
  git: readonly string[]
  /** Existing protected files and folders, without `.git`. Not what is below a listed folder. */
  protectedPaths: readonly string[]
  /** Existing files with secrets, and sockets with such names. */
  secrets: readonly string[]
  /**
   * Protected places that the sandbox leaves writable, with what changes when they are written: links, and files in
   * folders of build output.
   */
  writable: ReadonlyMap<string, string>
  /** Whether the scan ended before it had read all folders. */
  partial: boolean
}

/** Finds git folders, protected files and secrets in a workspace. Keeps what it read, so that the next scan is fast. */
export interface WorkspaceScanner {
  /** Starts after this call, so it finds what exists now. */
  scan(): Promise<WorkspaceScan>
  dispose(): Promise<void>
}

export interface ScanRules {
  /** Whether a path relative to the workspace is protected; see approval/. */
  isProtected(relative: string): boolean
  isSecret(relative: string): boolean
}
