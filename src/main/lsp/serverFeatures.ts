import type { ServerCapabilities } from 'vscode-languageserver-protocol'
import type { LanguageFeatures } from '../../shared/language/languageServers.ts'

/** Combines the features of a file's servers. */
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
    linkedEditing: has('linkedEditingRangeProvider'),
    inlayHints: has('inlayHintProvider'),
    semanticTokens: all.some((capabilities) => hasSemanticTokens(capabilities, 'full')),
    semanticTokensOfRanges: all.some((capabilities) => hasSemanticTokens(capabilities, 'range')),
    codeActions: has('codeActionProvider'),
  }
}

/** Whether a server provides semantic tokens for whole files or for ranges. Servers may support only one of them. */
export function hasSemanticTokens({ semanticTokensProvider }: ServerCapabilities, of: 'full' | 'range'): boolean {
  const option = semanticTokensProvider?.[of]
  return option !== undefined && option !== false
}
