import { ToolError } from '../../shared/errors.ts'
import { outsidePath } from '../../shared/files/outsideFiles.ts'
import { request } from '../platform/bridge/bridge.ts'

/** Returns the tab's path of an absolute path, or of one that begins with `~/`, in the folder or outside it. @throws ToolError if it is a folder */
export async function locateFile(absolute: string): Promise<string> {
  const [located] = await request('files.locate', { paths: [absolute] })
  if (located?.kind === 'folder') throw new ToolError('invalid_path', `${absolute} is a folder.`, 'Name a file in it.')
  return located?.inWorkspace ?? outsidePath(located?.path ?? absolute)
}
