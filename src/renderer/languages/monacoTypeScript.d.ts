// Monaco exports these classes without types.
declare module 'monaco-editor/languages/features/typescript/languageFeatures' {
  import type { languages, Uri } from 'monaco-editor'

  type Worker = (...uris: Uri[]) => Promise<unknown>
  export const SuggestAdapter: new (worker: Worker) => languages.CompletionItemProvider
  export const SignatureHelpAdapter: new (worker: Worker) => languages.SignatureHelpProvider
}
