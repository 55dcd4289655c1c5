import { ToolError } from '../../shared/errors.ts'
import { planRename, type RenameDeps } from '../code/resolve/renamePlan.ts'
import type { Handlers } from './handlers.ts'

/** Answers what a renaming would change. @param current the open folder's services, null while none is open */
export function createRenameHandlers(current: () => RenameDeps | null): Pick<Handlers, 'code.rename'> {
  return {
    'code.rename': ({ newName, ...place }, signal) => {
      const parts = current()
      if (!parts) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
      return planRename(parts, place, newName, signal)
    },
  }
}
