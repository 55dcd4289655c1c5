import { ToolError } from '../../shared/errors.ts'
import type { languageRequests } from '../../shared/languageRequests.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { Handlers } from './handlers.ts'

/** Handles requests about language servers. @param languages returns those of the open folder, if one is open */
export function createLanguageHandlers(
  languages: () => LanguageServers | undefined,
): Pick<Handlers, keyof typeof languageRequests> {
  function current(): LanguageServers {
    const found = languages()
    if (!found) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
    return found
  }
  return {
    'language.state': () => languages()?.state() ?? { servers: [], problems: [] },
    'language.features': ({ path }) => current().features(path),
    'language.completion': (place, signal) => current().completion(place, signal),
    'language.resolveCompletion': ({ list, index }) => current().resolveCompletion(list, index),
    'language.signatureHelp': (place, signal) => current().signatureHelp(place, signal),
    'language.codeActions': (params, signal) => current().codeActions(params, signal),
    'language.runCodeAction': ({ list, index }, signal) => current().runCodeAction(list, index, signal),
    'language.format': ({ path, range, ...options }, signal) => current().format(path, range, options, signal),
    'language.foldingRanges': ({ path }, signal) => current().foldingRanges(path, signal),
    'language.inlayHints': ({ path, range }, signal) => current().inlayHints(path, range, signal),
    'language.semanticTokens': ({ path, range }, signal) => current().semanticTokens(path, range, signal),
    'language.libraryFile': ({ id }) => current().libraryFile(id),
    'language.restart': ({ server }) => current().restart(server),
    'language.log': ({ server }) => current().log(server),
    'language.install': ({ server }) => current().install(server),
  }
}
