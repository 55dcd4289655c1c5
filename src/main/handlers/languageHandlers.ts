import { ToolError, toFailure } from '../../shared/errors.ts'
import type { languageRequests } from '../../shared/language/languageRequests.ts'
import { planRename, type RenameDeps } from '../code/renamePlan.ts'
import { readEditorConfig } from '../formatting/editorConfig.ts'
import type { ProjectFormatter } from '../formatting/projectFormatter.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { Handlers } from '../core/coreContract.ts'

/** Handles requests about language servers. @param session returns the open folder, if one is open */
export function createLanguageHandlers(
  session: () => Pick<WorkspaceSession, 'languages' | 'programs'> | undefined,
): Pick<Handlers, keyof typeof languageRequests> {
  function open() {
    const found = session()
    if (!found) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
    return found
  }
  const current = () => open().languages
  return {
    'language.state': () => session()?.languages.state() ?? { servers: [], problems: [], programs: [] },
    'language.features': ({ path }) => current().features(path),
    'language.completion': (place, signal) => current().completion(place, signal),
    'language.resolveCompletion': ({ list, index }) => current().resolveCompletion(list, index),
    'language.signatureHelp': (place, signal) => current().signatureHelp(place, signal),
    'language.codeActions': (params, signal) => current().codeActions(params, signal),
    'language.runCodeAction': ({ list, index }, signal) => current().runCodeAction(list, index, signal),
    'language.willMove': ({ moves }) => current().willMove(moves),
    'language.format': ({ path, range, ...options }, signal) => current().format(path, range, options, signal),
    'language.foldingRanges': ({ path }, signal) => current().foldingRanges(path, signal),
    'language.linkedEditingRanges': (place, signal) => current().linkedEditingRanges(place, signal),
    'language.inlayHints': ({ path, range }, signal) => current().inlayHints(path, range, signal),
    'language.semanticTokens': ({ path, range }, signal) => current().semanticTokens(path, range, signal),
    'language.libraryFile': ({ id }) => current().libraryFile(id),
    'language.restart': ({ server }) => current().restart(server),
    'language.log': ({ server }) => current().log(server),
    'language.install': ({ server }) => current().install(server),
    async 'language.allowProgram'({ path }) {
      const { programs, languages } = open()
      await programs.approve(path)
      await languages.refresh()
      return languages.state()
    },
  }
}

interface RenameServices extends RenameDeps {
  languages: Pick<LanguageServers, 'rename'>
}

/**
 * Plans symbol renames: with a running language server, or else with the index.
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

/** Handles the editor's formatting requests. */
export function createFormattingHandlers(
  current: () => { workspace: Workspace; formatter: ProjectFormatter },
): Pick<Handlers, 'files.editorConfig' | 'files.format'> {
  return {
    'files.editorConfig': ({ path }) => readEditorConfig(current().workspace, path),
    'files.format': ({ path, text }, signal) => current().formatter.format(path, text, signal),
  }
}
