import { ToolError } from '../../shared/errors.ts'
import { planRename, type RenameDeps } from '../code/resolve/renamePlan.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { Handlers } from './handlers.ts'

interface RenameServices extends RenameDeps {
  languages: Pick<LanguageServers, 'rename'>
}

/**
 * Plans symbol renames: with a language server where one runs, else with the index.
 * @param current returns the services of the open folder, or null while none is open
 */
export function createRenameHandlers(current: () => RenameServices | null): Pick<Handlers, 'code.rename'> {
  return {
    'code.rename': async ({ newName, ...place }, signal) => {
      const deps = current()
      if (!deps) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
      return (await deps.languages.rename(place, newName, signal)) ?? planRename(deps, place, newName, signal)
    },
  }
}
