import { monaco } from '../platform/editor/monaco/monaco.ts'
import { requestFromServers, fromMonacoRange, pathOfModel, toMonacoEdits } from './serverRequests.ts'

const { FoldingRangeKind, InlayHintKind } = monaco.languages

async function format(
  model: monaco.editor.ITextModel,
  range: monaco.IRange | undefined,
  { tabSize, insertSpaces }: monaco.languages.FormattingOptions,
): Promise<monaco.languages.TextEdit[]> {
  const edits = await requestFromServers('language.format', {
    path: pathOfModel(model),
    tabSize,
    spaces: insertSpaces,
    ...(range && { range: fromMonacoRange(range) }),
  })
  return toMonacoEdits(edits ?? [])
}

export const formatProviders: {
  documentFormatting: monaco.languages.DocumentFormattingEditProvider
  rangeFormatting: monaco.languages.DocumentRangeFormattingEditProvider
} = {
  documentFormatting: { provideDocumentFormattingEdits: (model, options) => format(model, undefined, options) },
  rangeFormatting: { provideDocumentRangeFormattingEdits: (model, range, options) => format(model, range, options) },
}

const foldingKinds = {
  comment: FoldingRangeKind.Comment,
  imports: FoldingRangeKind.Imports,
  region: FoldingRangeKind.Region,
}

export const foldingProvider: monaco.languages.FoldingRangeProvider = {
  async provideFoldingRanges(model) {
    const ranges = await requestFromServers('language.foldingRanges', { path: pathOfModel(model) })
    return ranges?.map(({ startLine, endLine, kind }) => ({
      start: startLine,
      end: endLine,
      ...(kind && { kind: foldingKinds[kind] }),
    }))
  },
}

export const inlayHintProvider: monaco.languages.InlayHintsProvider = {
  async provideInlayHints(model, range) {
    const hints = await requestFromServers('language.inlayHints', {
      path: pathOfModel(model),
      range: fromMonacoRange(range),
    })
    return {
      hints: (hints ?? []).map(({ line, column, text, kind, tooltip, paddingLeft, paddingRight }) => ({
        label: text,
        position: { lineNumber: line, column },
        ...(kind === 'type' && { kind: InlayHintKind.Type }),
        ...(kind === 'parameter' && { kind: InlayHintKind.Parameter }),
        ...(tooltip !== undefined && { tooltip: { value: tooltip } }),
        paddingLeft,
        paddingRight,
      })),
      dispose: () => undefined,
    }
  },
}
