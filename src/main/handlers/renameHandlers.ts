import { ToolError, toFailure } from '../../shared/errors.ts'
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
      const certain = await deps.languages.rename(place, newName, signal)
      if (certain) return certain
      try {
        return await planRename(deps, place, newName, signal)
      } catch (error) {
        if (toFailure(error).code !== 'not_found') throw error
        // Names that are local to a file are not in the index.
        const local = await deps.languages.rename(place, newName, signal, true).catch(() => undefined)
        if (local?.files.length === 1) return local
        throw error
      }
    },
  }
}
