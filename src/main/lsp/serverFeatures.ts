import type { ServerCapabilities } from 'vscode-languageserver-protocol'
import type { LanguageFeatures } from '../../shared/languageServers.ts'

/** Pure: joins the features of the servers of a file. */
export function featuresOf(all: readonly ServerCapabilities[]): LanguageFeatures {
  const has = (name: keyof ServerCapabilities): boolean => all.some((capabilities) => Boolean(capabilities[name]))
  const union = (of: (capabilities: ServerCapabilities) => string[] | undefined): string[] => [
    ...new Set(all.flatMap((capabilities) => of(capabilities) ?? [])),
  ]
  return {
    completionTriggers: union(({ completionProvider }) => completionProvider?.triggerCharacters),
    signatureTriggers: union(({ signatureHelpProvider }) => signatureHelpProvider?.triggerCharacters),
    signatureRetriggers: union(({ signatureHelpProvider }) => signatureHelpProvider?.retriggerCharacters),
    formatting: has('documentFormattingProvider'),
    rangeFormatting: has('documentRangeFormattingProvider'),
    foldingRanges: has('foldingRangeProvider'),
    inlayHints: has('inlayHintProvider'),
    semanticTokens: has('semanticTokensProvider'),
    codeActions: has('codeActionProvider'),
  }
}
