import { ToolError } from '../../shared/errors.ts'
import { planRename, type RenameDeps } from '../code/resolve/renamePlan.ts'
import type { Handlers } from './handlers.ts'

/** Plans symbol renames. @param current returns the services of the open folder, or null while none is open */
export function createRenameHandlers(current: () => RenameDeps | null): Pick<Handlers, 'code.rename'> {
  return {
    'code.rename': ({ newName, ...place }, signal) => {
      const deps = current()
      if (!deps) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
      return planRename(deps, place, newName, signal)
    },
  }
}
