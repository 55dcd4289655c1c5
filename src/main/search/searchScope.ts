import { isAbort, ToolError } from '../../shared/errors.ts'
import type { ResolvedPath, Workspace } from '../workspace/containment.ts'

/** A folder to search. Throws `not_a_directory` for a file, and what `Workspace.resolve` throws. */
export async function resolveFolder(workspace: Workspace, path: string): Promise<ResolvedPath> {
  const resolved = await workspace.resolve(path)
  if (resolved.type === 'directory') return resolved
  throw new ToolError(
    'not_a_directory',
    `"${resolved.relative}" is a file and not a folder.`,
    'Name the folder it lies in; to see what it holds, read it.',
  )
}

/** Files and folders to search, without those that lie inside another of them. */
export async function resolveScope(workspace: Workspace, paths: readonly string[]): Promise<ResolvedPath[]> {
  const resolved = await Promise.all(paths.map((path) => workspace.resolve(path)))
  for (const { type, relative } of resolved) {
    if (type === 'other')
      throw new ToolError(
        'invalid_path',
        `"${relative}" is neither a file nor a folder, so it cannot be searched.`,
        'Name a file or folder.',
      )
  }
  return resolved.filter(
    (one, index) =>
      !resolved.some(
        (other, at) =>
          at !== index && (isInside(one.relative, other.relative) || (one.relative === other.relative && at < index)),
      ),
  )
}

/** Whether a path lies below a folder; both relative to the workspace. */
export function isInside(path: string, folder: string): boolean {
  return path !== folder && (folder === '.' || path.startsWith(`${folder}/`))
}

/** A path as ripgrep is given it: never to be mistaken for a flag, and told apart in its messages. */
export const asArgument = (relative: string): string => (relative === '.' ? './' : `./${relative}`)

/** Throws `permission_denied` when one of the places that were to be searched could itself not be read. */
export function checkReadable(scope: readonly ResolvedPath[], skipped: readonly string[]): void {
  for (const { relative } of scope) {
    if (!skipped.some((message) => message.startsWith(`${relative}: Permission denied`))) continue
    throw new ToolError(
      'permission_denied',
      `"${relative}" cannot be read: the operating system does not permit it.`,
      'Ask the user to change the permissions, or search another path.',
    )
  }
}

/** Throws `cancelled` when the caller gave up. */
export function checkCancelled(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ToolError(
      'cancelled',
      'The search was cancelled.',
      '',
      isAbort(signal.reason) ? { cause: signal.reason } : undefined,
    )
}

/** Code unit order: the same on every machine, and fast. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
