import {
  DiagnosticsAdapter,
  DocumentHighlightAdapter,
  FormatAdapter,
  LibFiles,
  SignatureHelpAdapter,
  SuggestAdapter,
} from 'monaco-editor/languages/features/typescript/languageFeatures'
import { WorkerManager } from 'monaco-editor/languages/features/typescript/workerManager'
import { monaco } from '../platform/editor/monaco/monaco.ts'

/**
 * Monaco's own TypeScript, which knows open files only. Used where no TypeScript server can run. Monaco itself would
 * start its worker (7 MB of script, a second of processor time) with the first file and never stop it, so its features
 * are off and registered here instead.
 */
const { typescriptDefaults, javascriptDefaults } = monaco.typescript

const languages = [
  { id: 'typescript', defaults: typescriptDefaults },
  { id: 'javascript', defaults: javascriptDefaults },
]

let registered: monaco.IDisposable[] = []

/** Turns off the features that this file or the servers provide. */
export function prepareBuiltInTypeScript(): void {
  for (const { defaults } of languages) {
    defaults.setModeConfiguration({
      ...defaults.modeConfiguration,
      completionItems: false,
      signatureHelp: false,
      codeActions: false,
      inlayHints: false,
      diagnostics: false,
      documentHighlights: false,
      documentRangeFormattingEdits: false,
      onTypeFormattingEdits: false,
    })
  }
}

/** @param on false while a server runs or starts, so that nothing is offered or reported twice */
export function setBuiltInTypeScript(on: boolean): void {
  if (on === registered.length > 0) return
  for (const each of registered) each.dispose()
  registered = on ? languages.flatMap(register) : []
}

function register({ id, defaults }: (typeof languages)[number]): monaco.IDisposable[] {
  const worker = new WorkerManager(id, defaults)
  const ask = (...uris: monaco.Uri[]) => worker.getLanguageServiceWorker(...uris)
  const highlights = new DocumentHighlightAdapter(ask)
  return [
    monaco.languages.registerCompletionItemProvider(id, new SuggestAdapter(ask)),
    monaco.languages.registerSignatureHelpProvider(id, new SignatureHelpAdapter(ask)),
    monaco.languages.registerDocumentHighlightProvider(id, {
      // Monaco calls this some time after the cursor moved. The file may be closed by then.
      provideDocumentHighlights: (model, position, token) =>
        model.isDisposed() ? undefined : highlights.provideDocumentHighlights(model, position, token),
    }),
    monaco.languages.registerDocumentRangeFormattingEditProvider(id, new FormatAdapter(ask)),
    new DiagnosticsAdapter(new LibFiles(ask), defaults, id, ask),
    worker,
  ]
}
