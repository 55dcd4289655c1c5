import type { LanguageFeatures, LanguageServerState } from '../../shared/language/languageServers.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { runningServerKey, useLanguages } from '../platform/languages/languageStore.ts'
import { notifyFailure } from '../platform/notices.ts'
import { prepareBuiltInTypeScript, setBuiltInTypeScript } from './builtInTypeScript.ts'
import { registerCodeActions } from './codeActions.ts'
import { completionProvider, signatureProvider } from './completionItems.ts'
import { foldingProvider, formatProviders, inlayHintProvider } from './fileProviders.ts'
import { isHtml, registerHtmlLinkedEditing, serverLinkedEditing } from './linkedEditing.ts'
import { showMarkers } from './markers.ts'
import { registerSemanticTokens } from './semanticTokens.ts'
import { once } from '../../shared/async/once.ts'

const { languages } = monaco

/** Providers by Monaco's language id. */
const registered = new Map<string, monaco.IDisposable[]>()
/** Ids of running servers at the latest registration. */
let knownServers = ''

/** States of a server that will not respond until the user does something. */
const unavailable: ReadonlySet<LanguageServerState> = new Set(['off', 'missing', 'failed'])

/** Registers a language's providers, depending on the features of its server. */
function registerFor(id: string, features: LanguageFeatures): monaco.IDisposable[] {
  const filter: monaco.languages.LanguageFilter = { language: id, scheme: 'file' }
  const { documentFormatting, rangeFormatting } = formatProviders
  return [
    languages.registerCompletionItemProvider(filter, completionProvider(features)),
    languages.registerSignatureHelpProvider(filter, signatureProvider(features)),
    ...(features.formatting ? [languages.registerDocumentFormattingEditProvider(filter, documentFormatting)] : []),
    ...(features.rangeFormatting
      ? [languages.registerDocumentRangeFormattingEditProvider(filter, rangeFormatting)]
      : []),
    ...(features.foldingRanges ? [languages.registerFoldingRangeProvider(filter, foldingProvider)] : []),
    // For HTML, Monaco's worker answers without waiting for a server.
    ...(features.linkedEditing && !isHtml(id)
      ? [languages.registerLinkedEditingRangeProvider(filter, serverLinkedEditing)]
      : []),
    ...(features.inlayHints ? [languages.registerInlayHintsProvider(filter, inlayHintProvider)] : []),
    ...registerSemanticTokens(filter, features),
    ...(features.codeActions ? [registerCodeActions(filter)] : []),
  ]
}

/** Registers the providers of the model's language, once a server is running for it. */
async function prepare(model: monaco.editor.ITextModel): Promise<void> {
  const path = pathOf(model.uri)
  const id = model.getLanguageId()
  if (path === null || registered.has(id) || knownServers === '') return
  const servers = knownServers
  const features = await request('language.features', { path })
  if (features === null || registered.has(id) || servers !== knownServers) return
  registered.set(id, registerFor(id, features))
}

function prepareAll(): void {
  for (const model of monaco.editor.getModels())
    prepare(model).catch((error: unknown) => notifyFailure(error, 'A language server did not respond'))
}

function serversChanged(): void {
  const { servers } = useLanguages.getState()
  setBuiltInTypeScript(servers.some(({ id, state }) => id === 'typescript' && unavailable.has(state)))
  const running = runningServerKey({ servers })
  if (running === knownServers) return
  knownServers = running
  for (const each of registered.values()) for (const provider of each) provider.dispose()
  registered.clear()
  prepareAll()
}

/** Registers language servers as Monaco's providers, for each language once a server is running for it. */
export const registerLanguageProviders = once((): void => {
  prepareBuiltInTypeScript()
  registerHtmlLinkedEditing()
  showMarkers()
  serversChanged()
  useLanguages.subscribe(serversChanged)
  monaco.editor.onDidCreateModel((model) => {
    prepare(model).catch((error: unknown) => notifyFailure(error, 'A language server did not respond'))
  })
})
