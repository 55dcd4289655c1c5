import type * as lsp from 'vscode-languageserver-protocol'
import type { FoldingRange, InlayHint, SemanticTokens, TextRange } from '../../../shared/language/languageServers.ts'
import { markdownOf, type DocumentServer, type FilePosition, type QueryServers } from './featureServer.ts'
import { translateTokens } from './translateTokens.ts'

/** Folding, inlay hints and semantic tokens from language servers. Null if no server responds. */
export function createStructure(query: QueryServers) {
  return {
    async foldingRanges(path: string, signal?: AbortSignal): Promise<FoldingRange[] | null> {
      const found = await query(
        path,
        'textDocument/foldingRange',
        async (answering) => {
          const ranges = await answering.request('textDocument/foldingRange', {
            textDocument: { uri: answering.uri },
          })
          return ranges?.map((range) => foldingRange(range, answering.lines.lineCount)) ?? null
        },
        { signal, latest: 'folding' },
      )
      return found ?? null
    },

    async linkedEditingRanges({ path, ...position }: FilePosition, signal?: AbortSignal): Promise<TextRange[] | null> {
      const found = await query(
        path,
        'textDocument/linkedEditingRange',
        async (answering) => {
          const { uri, codec, lines } = answering
          const linked = await answering.request('textDocument/linkedEditingRange', {
            textDocument: { uri },
            position: codec.toServer(lines, position),
          })
          return linked?.ranges.map((range) => codec.rangeFromServer(lines, range)) ?? null
        },
        { signal, latest: 'linkedEditing' },
      )
      return found ?? null
    },

    async inlayHints(path: string, range: TextRange, signal?: AbortSignal): Promise<InlayHint[] | null> {
      const found = await query(
        path,
        'textDocument/inlayHint',
        async (answering) => {
          const { uri, codec, lines } = answering
          const hints = await answering.request('textDocument/inlayHint', {
            textDocument: { uri },
            range: codec.rangeToServer(lines, range),
          })
          return hints?.map((hint) => inlayHint(answering, hint)) ?? null
        },
        { signal, latest: 'inlayHints' },
      )
      return found ?? null
    },

    /** @param range limits the tokens to this part of the file */
    async semanticTokens(
      path: string,
      range: TextRange | undefined,
      signal?: AbortSignal,
    ): Promise<SemanticTokens | null> {
      const method = range ? 'textDocument/semanticTokens/range' : 'textDocument/semanticTokens/full'
      const found = await query(
        path,
        method,
        async (answering) => {
          const { uri, server, codec, lines } = answering
          const textDocument = { uri }
          const tokens = range
            ? await answering.request('textDocument/semanticTokens/range', {
                textDocument,
                range: codec.rangeToServer(lines, range),
              })
            : await answering.request('textDocument/semanticTokens/full', { textDocument })
          const legend = server.running()?.connection.capabilities.semanticTokensProvider?.legend
          return tokens && legend ? { data: translateTokens(answering, tokens.data, legend) } : null
        },
        // Folded code requests several ranges at once.
        { signal, ...(!range && { latest: 'semanticTokens' }) },
      )
      return found ?? null
    },
  }
}

function foldingRange({ startLine, endLine, kind }: lsp.FoldingRange, lineCount: number): FoldingRange {
  return {
    startLine: Math.min(startLine + 1, lineCount),
    endLine: Math.min(endLine + 1, lineCount),
    ...((kind === 'comment' || kind === 'imports' || kind === 'region') && { kind }),
  }
}

function inlayHint({ codec, lines }: DocumentServer, hint: lsp.InlayHint): InlayHint {
  const { position, label, kind, tooltip, paddingLeft = false, paddingRight = false } = hint
  return {
    ...codec.fromServer(lines, position),
    text: typeof label === 'string' ? label : label.map(({ value }) => value).join(''),
    kind: kind === 1 ? 'type' : kind === 2 ? 'parameter' : 'other',
    ...(tooltip !== undefined && { tooltip: markdownOf(tooltip) }),
    paddingLeft,
    paddingRight,
  }
}
