import { createHash } from 'node:crypto'
import { ToolError } from '../../shared/errors.ts'
import { openInPlace } from '../base/heldFolder.ts'
import { errorCode } from '../base/fileErrors.ts'
import type { HashWorkspaceFile } from '../mcp/serverPrograms.ts'
import type { Workspace } from '../workspace/containment.ts'

/** Maximum bytes of a file that is read. A folder only opens after its servers' programs were compared. */
const maxHashed = 64n * 1024n * 1024n

/**
 * Creates a function that hashes files in the workspace, following links. Other paths, folders and devices have no
 * hash.
 */
export function createWorkspaceHash(workspace: Workspace): HashWorkspaceFile {
  return async (path) => {
    try {
      const { absolute, relative, type } = await workspace.resolve(path, { missing: 'allow' })
      const hash = type === 'file' ? await hashFile(absolute) : null
      return hash === null ? null : { path: relative, hash }
    } catch (error) {
      // Outside the workspace, not a path, or not readable, so the server cannot start it from here either.
      if (error instanceof ToolError || errorCode(error) !== undefined) return null
      throw error
    }
  }
}

/** @returns null for a pipe or device that replaced the file, because reading it might never end */
async function hashFile(absolute: string): Promise<string | null> {
  const handle = await openInPlace(absolute)
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) return null
    // Programs cannot set the change time (ctime).
    if (stats.size > maxHashed) return `changed ${stats.ctimeNs}, inode ${stats.ino}, size ${stats.size}`
    const hash = createHash('sha256')
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer)
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
}
