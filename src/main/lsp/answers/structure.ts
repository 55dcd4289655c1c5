import type * as lsp from 'vscode-languageserver-protocol'
import {
  semanticTokenModifiers,
  semanticTokenTypes,
  type FoldingRange,
  type InlayHint,
  type SemanticTokens,
  type TextRange,
} from '../../../shared/languageServers.ts'
import { markdownOf, type Answering, type QueryServers } from './answering.ts'

/** Folding, inlay hints and semantic tokens by language servers. Null if no server answers. */
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

    async semanticTokens(path: string, signal?: AbortSignal): Promise<SemanticTokens | null> {
      const found = await query(
        path,
        'textDocument/semanticTokens/full',
        async (answering) => {
          const { uri, server } = answering
          const tokens = await answering.request('textDocument/semanticTokens/full', { textDocument: { uri } })
          const legend = server.running()?.connection.capabilities.semanticTokensProvider?.legend
          return tokens && legend ? { data: translate(answering, tokens.data, legend) } : null
        },
        { signal, latest: 'semanticTokens' },
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

function inlayHint({ codec, lines }: Answering, hint: lsp.InlayHint): InlayHint {
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

/** Translates tokens to UTF-16 columns and to the numbers of `semanticTokenTypes`. Unknown types are left out. */
function translate({ codec, lines }: Answering, data: readonly number[], legend: lsp.SemanticTokensLegend): number[] {
  const types = legend.tokenTypes.map((name) => semanticTokenTypes.findIndex((each) => each === name))
  const modifiers = legend.tokenModifiers.map((name) => semanticTokenModifiers.findIndex((each) => each === name))
  const result: number[] = []
  let line = 0
  let character = 0
  let last = { line: 0, column: 0 }
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lineStep = 0, characterStep = 0, length = 0, type = 0, modifierBits = 0] = data.slice(at, at + 5)
    line += lineStep
    character = lineStep === 0 ? character + characterStep : characterStep
    const known = types[type] ?? -1
    if (known < 0 || line >= lines.lineCount) continue
    const start = codec.fromServer(lines, { line, character }).column - 1
    const end = codec.fromServer(lines, { line, character: character + length }).column - 1
    if (end <= start) continue
    const bits = modifiers.reduce((sum, to, from) => (to >= 0 && modifierBits & (1 << from) ? sum | (1 << to) : sum), 0)
    result.push(line - last.line, line === last.line ? start - last.column : start, end - start, known, bits)
    last = { line, column: start }
  }
  return result
}
