import { lstatSync, mkdirSync, utimesSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import path from 'node:path'

/*
 * While a sandboxed command runs, empty folders cover the protected paths that a workspace lacks
 * (command/sandbox/placeholders.ts). Their modification time marks them, so that all threads and processes of Tizona
 * hide them. Creating something in the folder removes the mark.
 */

/** Protected names in the workspace root: programs run what is in them when the user opens the folder. */
export const placeholderNames: ReadonlySet<string> = new Set([
  '.git',
  '.tizona',
  '.vscode',
  '.idea',
  '.zed',
  '.husky',
  '.claude',
  '.cursor',
  '.devcontainer',
  '.cargo',
  '.mcp.json',
  '.envrc',
  '.npmrc',
])

/** In milliseconds. A whole even second, because some file systems store nothing finer. */
const markedTime = Date.UTC(1999, 11, 31, 23, 59, 58)

/** Creates a marked folder. Synchronous, so that a watcher never sees it without its mark. */
export function makePlaceholder(folder: string): void {
  mkdirSync(folder)
  utimesSync(folder, markedTime / 1000, markedTime / 1000)
}

interface FolderStats {
  isDirectory(): boolean
  mtimeMs: number | bigint
}

export function isMarked(stats: FolderStats): boolean {
  return Number(stats.mtimeMs) === markedTime && stats.isDirectory()
}

/** Whether a path is a placeholder in a workspace root. */
export async function isPlaceholder(absolute: string): Promise<boolean> {
  if (!placeholderNames.has(path.basename(absolute))) return false
  const stats = await lstat(absolute).catch(() => undefined)
  return stats !== undefined && isMarked(stats)
}

/** Like `isPlaceholder`, but also true for one that has just been removed. */
export function isOrWasPlaceholder(absolute: string): boolean {
  if (!placeholderNames.has(path.basename(absolute))) return false
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false })
    return stats === undefined || isMarked(stats)
  } catch {
    return false // The path is not accessible.
  }
}
