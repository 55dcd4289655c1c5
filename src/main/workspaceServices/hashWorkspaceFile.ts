import { createHash } from 'node:crypto'
import { ToolError } from '../../shared/errors.ts'
import { openInPlace } from '../base/heldFolder.ts'
import { errorCode } from '../base/errorCode.ts'
import type { HashWorkspaceFile } from '../mcp/serverPrograms.ts'
import type { Workspace } from '../workspace/containment.ts'

/**
 * Creates a function that hashes files of the workspace, through links. Other paths, folders and devices have no hash.
 */
export function createWorkspaceHash(workspace: Workspace): HashWorkspaceFile {
  return async (path) => {
    try {
      const { absolute, relative, type } = await workspace.resolve(path, { missing: 'allow' })
      return type === 'file' ? { path: relative, hash: await hashFile(absolute) } : null
    } catch (error) {
      // Outside the workspace, not a path, or not readable: the server cannot start it from here either.
      if (error instanceof ToolError || errorCode(error) !== undefined) return null
      throw error
    }
  }
}

async function hashFile(absolute: string): Promise<string> {
  const handle = await openInPlace(absolute)
  try {
    const hash = createHash('sha256')
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer)
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
}
