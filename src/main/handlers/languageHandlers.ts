import { ToolError } from '../../shared/errors.ts'
import type { languageRequests } from '../../shared/language/languageRequests.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { Handlers } from './handlers.ts'

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
