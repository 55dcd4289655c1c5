export interface ResolvedPath {
  /** Real absolute path: symlinks followed as far as the path exists. */
  absolute: string
  /** Relative to the root, `/` separated, `.` for the root itself. */
  relative: string
  exists: boolean
  type: 'file' | 'directory' | 'other' | 'missing'
}

/** One open folder. Every path a tool or window names passes through `resolve`. */
export interface Workspace {
  /** Real path of the folder. */
  readonly root: string
  /**
   * Resolves a path, relative to the root or absolute, and proves that it lies inside: `..`, symlinks, case variants and
   * missing parents included. Throws `invalid_path`, `outside_workspace`, and `not_found` unless `missing: 'allow'`.
   */
  resolve(path: string, options?: { missing?: 'allow' }): Promise<ResolvedPath>
  /** An absolute path inside the root as the relative form that models and windows see. */
  relative(absolute: string): string
}
