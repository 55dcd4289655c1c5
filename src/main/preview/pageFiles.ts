import { ToolError } from '../../shared/errors.ts'

/** The files of the folder that a person can give a page. */
export interface FolderFiles {
  /** Finds files by the letters of their paths, best match first. */
  find(query: string, signal: AbortSignal): Promise<string[]>
  /**
   * Resolves links of a path.
   * @throws ToolError outside_workspace, not_found
   */
  resolve(path: string): Promise<{ absolute: string; relative: string; type: string }>
  /** Whether a file is secret or protected. */
  isGuarded(path: string): boolean
}

/** Finds files that a page may get. A path that the person typed in full is one, also if git ignores it. */
export async function findPageFiles(files: FolderFiles, query: string, signal: AbortSignal): Promise<string[]> {
  const typed = await pageFile(files, query.trim()).then(
    ({ relative }) => [relative],
    () => [],
  )
  const found = (await files.find(query, signal)).filter((path) => !files.isGuarded(path))
  return [...new Set([...typed, ...found])]
}

/** Returns the absolute paths of files that a page may get. @throws ToolError if it may not get one of them */
export async function pageFiles(files: FolderFiles, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map(async (path) => (await pageFile(files, path)).absolute))
}

async function pageFile(files: FolderFiles, path: string): Promise<{ absolute: string; relative: string }> {
  const found = await files.resolve(path)
  if (found.type !== 'file') throw new ToolError('not_found', `${path} is not a file.`, 'Choose a file.')
  // The link or its target.
  if ([path, found.relative].some(files.isGuarded))
    throw new ToolError('refused', `${path} is secret or protected, so no page gets it.`, 'Choose another file.')
  return found
}
