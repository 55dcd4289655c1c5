import {
  semanticTokenModifiers,
  semanticTokenTypes,
  type LanguageFeatures,
  type SemanticTokens,
} from '../../shared/language/languageServers.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { requestFromServers, fromMonacoRange, pathOfModel } from './serverRequests.ts'

/**
 * Text length in UTF-16 units above which only visible ranges get tokens, if the server supports that. A file of 10,000
 * lines has 50,000 tokens, which would be sent after each pause in typing.
 */
const maxWholeFileLength = 100_000

const legend = { tokenTypes: [...semanticTokenTypes], tokenModifiers: [...semanticTokenModifiers] }

/**
 * Thrown so that Monaco keeps the tokens of the visible ranges. Monaco recognizes the error by its name and message.
 */
class Canceled extends Error {
  override readonly name = 'Canceled'

  constructor() {
    super('Canceled')
  }
}

/** Registers a language's semantic tokens: for whole files, and for the visible ranges of long ones. */
export function registerSemanticTokens(
  filter: monaco.languages.LanguageFilter,
  { semanticTokens, semanticTokensOfRanges }: Pick<LanguageFeatures, 'semanticTokens' | 'semanticTokensOfRanges'>,
): monaco.IDisposable[] {
  /**
   * Whether a model gets tokens for its whole text. Decided when the model is first shown, because Monaco keeps such
   * tokens.
   */
  const whole = new WeakMap<monaco.editor.ITextModel, boolean>()
  const isWhole = (model: monaco.editor.ITextModel): boolean => {
    const known = whole.get(model)
    if (known !== undefined) return known
    const decided = semanticTokens && (!semanticTokensOfRanges || model.getValueLength() <= maxWholeFileLength)
    whole.set(model, decided)
    return decided
  }
  const toMonaco = (tokens: SemanticTokens | null): monaco.languages.SemanticTokens | null =>
    tokens && { data: Uint32Array.from(tokens.data) }

  const wholeFiles: monaco.languages.DocumentSemanticTokensProvider = {
    getLegend: () => legend,
    async provideDocumentSemanticTokens(model) {
      if (!isWhole(model)) throw new Canceled()
      return toMonaco(await requestFromServers('language.semanticTokens', { path: pathOfModel(model) }))
    },
    releaseDocumentSemanticTokens: () => undefined,
  }
  const ranges: monaco.languages.DocumentRangeSemanticTokensProvider = {
    getLegend: () => legend,
    async provideDocumentRangeSemanticTokens(model, range) {
      if (isWhole(model)) return null
      const params = { path: pathOfModel(model), range: fromMonacoRange(range) }
      return toMonaco(await requestFromServers('language.semanticTokens', params))
    },
  }
  return [
    ...(semanticTokens ? [monaco.languages.registerDocumentSemanticTokensProvider(filter, wholeFiles)] : []),
    ...(semanticTokensOfRanges ? [monaco.languages.registerDocumentRangeSemanticTokensProvider(filter, ranges)] : []),
  ]
}
