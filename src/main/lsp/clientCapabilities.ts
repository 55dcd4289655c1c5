import type { ClientCapabilities } from 'vscode-languageserver-protocol'
import { semanticTokenModifiers, semanticTokenTypes } from '../../shared/language/languageServers.ts'

/** Features of the Language Server Protocol that Tizona supports. */
export const clientCapabilities: ClientCapabilities = {
  // The encoding of JavaScript strings, so that positions need no conversion. A server may still choose another.
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
    workspaceEdit: { documentChanges: true },
    symbol: {},
    executeCommand: {},
    fileOperations: { dynamicRegistration: true, willRename: true, didRename: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: {
      relatedInformation: true,
      versionSupport: true,
      codeDescriptionSupport: true,
      tagSupport: { valueSet: [1, 2] },
      dataSupport: true,
    },
    diagnostic: { relatedDocumentSupport: true },
    completion: {
      contextSupport: true,
      completionItem: {
        snippetSupport: true,
        commitCharactersSupport: true,
        documentationFormat: ['markdown', 'plaintext'],
        deprecatedSupport: true,
        preselectSupport: true,
        tagSupport: { valueSet: [1] },
        insertReplaceSupport: true,
        labelDetailsSupport: true,
        resolveSupport: { properties: ['documentation', 'detail', 'additionalTextEdits'] },
      },
      completionList: {
        itemDefaults: ['commitCharacters', 'editRange', 'insertTextFormat', 'insertTextMode', 'data'],
      },
    },
    signatureHelp: {
      contextSupport: true,
      signatureInformation: {
        documentationFormat: ['markdown', 'plaintext'],
        parameterInformation: { labelOffsetSupport: true },
        activeParameterSupport: true,
      },
    },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    references: {},
    rename: { prepareSupport: true },
    codeAction: {
      codeActionLiteralSupport: {
        codeActionKind: { valueSet: ['', 'quickfix', 'refactor', 'source', 'source.organizeImports', 'source.fixAll'] },
      },
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ['edit', 'command'] },
    },
    formatting: {},
    rangeFormatting: {},
    foldingRange: { lineFoldingOnly: true },
    linkedEditingRange: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    inlayHint: {},
    semanticTokens: {
      requests: { full: true, range: true },
      tokenTypes: [...semanticTokenTypes],
      tokenModifiers: [...semanticTokenModifiers],
      formats: ['relative'],
    },
    callHierarchy: {},
  },
  window: { workDoneProgress: true, showMessage: {} },
}
