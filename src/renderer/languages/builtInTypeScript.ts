import { SignatureHelpAdapter, SuggestAdapter } from 'monaco-editor/languages/features/typescript/languageFeatures'
import { monaco } from '../platform/editor/monaco.ts'

/**
 * Monaco's own TypeScript, which knows open files only. It answers while no TypeScript server runs. Monaco reads which
 * features are on once, with the first file, so completions and signatures are registered here.
 */
const { typescriptDefaults, javascriptDefaults, getTypeScriptWorker, getJavaScriptWorker } = monaco.typescript

const languages = [
  { id: 'typescript', defaults: typescriptDefaults, worker: getTypeScriptWorker },
  { id: 'javascript', defaults: javascriptDefaults, worker: getJavaScriptWorker },
]

let registered: monaco.IDisposable[] = []

/** Turns off the features that this file or the servers provide. */
export function prepareBuiltInTypeScript(): void {
  for (const { defaults } of languages) {
    const off = { completionItems: false, signatureHelp: false, codeActions: false, inlayHints: false }
    defaults.setModeConfiguration({ ...defaults.modeConfiguration, ...off })
  }
  useBuiltInTypeScript(true)
}

/** @param on false while a server answers, so that nothing is offered or reported twice */
export function useBuiltInTypeScript(on: boolean): void {
  for (const { defaults } of languages)
    defaults.setDiagnosticsOptions({ ...defaults.getDiagnosticsOptions(), noSyntaxValidation: !on })
  if (on === registered.length > 0) return
  for (const each of registered) each.dispose()
  registered = on
    ? languages.flatMap(({ id, worker }) => {
        const ask = async (...uris: monaco.Uri[]) => (await worker())(...uris)
        return [
          monaco.languages.registerCompletionItemProvider(id, new SuggestAdapter(ask)),
          monaco.languages.registerSignatureHelpProvider(id, new SignatureHelpAdapter(ask)),
        ]
      })
    : []
}
