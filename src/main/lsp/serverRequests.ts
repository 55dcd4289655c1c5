import type * as lsp from 'vscode-languageserver-protocol'

/** Requests that Tizona sends to servers: parameters and result. */
export interface ServerRequests {
  'textDocument/diagnostic': [lsp.DocumentDiagnosticParams, lsp.DocumentDiagnosticReport | null]
  'textDocument/hover': [lsp.HoverParams, lsp.Hover | null]
  'textDocument/definition': [lsp.DefinitionParams, lsp.Definition | lsp.LocationLink[] | null]
  'textDocument/references': [lsp.ReferenceParams, lsp.Location[] | null]
  'textDocument/prepareRename': [lsp.PrepareRenameParams, lsp.PrepareRenameResult | null]
  'textDocument/rename': [lsp.RenameParams, lsp.WorkspaceEdit | null]
  'textDocument/completion': [lsp.CompletionParams, lsp.CompletionList | lsp.CompletionItem[] | null]
  'completionItem/resolve': [lsp.CompletionItem, lsp.CompletionItem]
  'textDocument/signatureHelp': [lsp.SignatureHelpParams, lsp.SignatureHelp | null]
  'textDocument/codeAction': [lsp.CodeActionParams, (lsp.Command | lsp.CodeAction)[] | null]
  'codeAction/resolve': [lsp.CodeAction, lsp.CodeAction]
  'workspace/executeCommand': [lsp.ExecuteCommandParams, unknown]
  'workspace/willRenameFiles': [lsp.RenameFilesParams, lsp.WorkspaceEdit | null]
  'textDocument/formatting': [lsp.DocumentFormattingParams, lsp.TextEdit[] | null]
  'textDocument/rangeFormatting': [lsp.DocumentRangeFormattingParams, lsp.TextEdit[] | null]
  'textDocument/foldingRange': [lsp.FoldingRangeParams, lsp.FoldingRange[] | null]
  'textDocument/documentSymbol': [lsp.DocumentSymbolParams, lsp.DocumentSymbol[] | lsp.SymbolInformation[] | null]
  'workspace/symbol': [lsp.WorkspaceSymbolParams, lsp.SymbolInformation[] | lsp.WorkspaceSymbol[] | null]
  'textDocument/inlayHint': [lsp.InlayHintParams, lsp.InlayHint[] | null]
  'textDocument/semanticTokens/full': [lsp.SemanticTokensParams, lsp.SemanticTokens | null]
  'textDocument/semanticTokens/range': [lsp.SemanticTokensRangeParams, lsp.SemanticTokens | null]
  'textDocument/prepareCallHierarchy': [lsp.CallHierarchyPrepareParams, lsp.CallHierarchyItem[] | null]
  'callHierarchy/incomingCalls': [lsp.CallHierarchyIncomingCallsParams, lsp.CallHierarchyIncomingCall[] | null]
  'callHierarchy/outgoingCalls': [lsp.CallHierarchyOutgoingCallsParams, lsp.CallHierarchyOutgoingCall[] | null]
}
export type ServerRequestName = keyof ServerRequests

/** Features of servers by the capability that announces them. */
export const capabilityOf: Partial<Record<ServerRequestName, keyof lsp.ServerCapabilities>> = {
  'textDocument/diagnostic': 'diagnosticProvider',
  'textDocument/hover': 'hoverProvider',
  'textDocument/definition': 'definitionProvider',
  'textDocument/references': 'referencesProvider',
  'textDocument/prepareRename': 'renameProvider',
  'textDocument/rename': 'renameProvider',
  'textDocument/completion': 'completionProvider',
  'textDocument/signatureHelp': 'signatureHelpProvider',
  'textDocument/codeAction': 'codeActionProvider',
  'workspace/executeCommand': 'executeCommandProvider',
  'textDocument/formatting': 'documentFormattingProvider',
  'textDocument/rangeFormatting': 'documentRangeFormattingProvider',
  'textDocument/foldingRange': 'foldingRangeProvider',
  'textDocument/documentSymbol': 'documentSymbolProvider',
  'workspace/symbol': 'workspaceSymbolProvider',
  'textDocument/inlayHint': 'inlayHintProvider',
  'textDocument/prepareCallHierarchy': 'callHierarchyProvider',
}
