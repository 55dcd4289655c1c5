import { ToolError } from '../../shared/errors.ts'
import { readSmallFile } from '../base/smallFile.ts'
import type { Workspace } from '../workspace/containment.ts'

/**
 * Returns a project's package manager, derived from its lock file. @param rootEntries names of the entries in the root
 */
export function packageManager(rootEntries: readonly string[]): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  if (rootEntries.includes('pnpm-lock.yaml')) return 'pnpm'
  if (rootEntries.includes('yarn.lock')) return 'yarn'
  if (rootEntries.includes('bun.lock') || rootEntries.includes('bun.lockb')) return 'bun'
  return 'npm'
}

/** Reads a small file in the folder. Null if it is missing, too large, unreadable, or a link to the outside. */
export async function readProjectFile(workspace: Pick<Workspace, 'resolve'>, path: string): Promise<string | null> {
  try {
    const { absolute } = await workspace.resolve(path)
    return await readSmallFile(absolute)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
