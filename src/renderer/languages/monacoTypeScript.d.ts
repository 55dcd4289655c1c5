// Monaco exports these classes without types.
declare module 'monaco-editor/languages/features/typescript/languageFeatures' {
  import type { IDisposable, languages, typescript, Uri } from 'monaco-editor'

  type Worker = (...uris: Uri[]) => Promise<unknown>
  export const SuggestAdapter: new (worker: Worker) => languages.CompletionItemProvider
  export const SignatureHelpAdapter: new (worker: Worker) => languages.SignatureHelpProvider
  export const DocumentHighlightAdapter: new (worker: Worker) => languages.DocumentHighlightProvider
  export const FormatAdapter: new (worker: Worker) => languages.DocumentRangeFormattingEditProvider
  /** Files of TypeScript's own library that the worker has sent. */
  export const LibFiles: new (worker: Worker) => object
  /** Shows what the worker reports about open files as markers. */
  export const DiagnosticsAdapter: new (
    libFiles: object,
    defaults: typescript.LanguageServiceDefaults,
    language: string,
    worker: Worker,
  ) => IDisposable
}

declare module 'monaco-editor/languages/features/typescript/workerManager' {
  import type { IDisposable, typescript, Uri } from 'monaco-editor'

  /** Starts the worker of a language with the first request. */
  export const WorkerManager: new (
    language: string,
    defaults: typescript.LanguageServiceDefaults,
  ) => IDisposable & { getLanguageServiceWorker(...uris: Uri[]): Promise<unknown> }
}
