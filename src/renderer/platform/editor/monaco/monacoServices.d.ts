// Monaco exports its services without types.
declare module 'monaco-editor/platform/configuration/common/configuration' {
  interface ConfigurationService {
    updateValue(key: string, value: unknown): Promise<void>
  }
  export const IConfigurationService: { service: ConfigurationService }
}
declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: { get<T>(id: { service: T }): T }
}
declare module 'monaco-editor/platform/contextview/browser/contextView' {
  interface ContextViewService {
    /** @param container default: the active editor, in which the view is clipped */
    showContextView(delegate: object, container?: HTMLElement, ...rest: unknown[]): unknown
  }
  export const IContextViewService: { service: ContextViewService }
}
declare module 'monaco-editor/editor/common/services/languageFeatures' {
  import type { editor, languages } from 'monaco-editor'
  interface LanguageFeaturesService {
    /** `ordered`: best match first. */
    documentHighlightProvider: { ordered(model: editor.ITextModel): languages.DocumentHighlightProvider[] }
  }
  export const ILanguageFeaturesService: { service: LanguageFeaturesService }
}
declare module 'monaco-editor/platform/undoRedo/common/undoRedo' {
  import type { editor, Uri } from 'monaco-editor'
  /** A step that can be undone. */
  export interface UndoElement {
    /** 0: changes one file. 1: several. */
    readonly type: number
    setModel?(model: editor.ITextModel): void
  }
  interface UndoRedoService {
    getElements(resource: Uri): { past: UndoElement[]; future: UndoElement[] }
    removeElements(resource: Uri): void
    pushElement(element: UndoElement): void
    undo(resource: Uri): Promise<void> | void
    redo(resource: Uri): Promise<void> | void
  }
  export const IUndoRedoService: { service: UndoRedoService }
}
declare module 'monaco-editor/platform/storage/common/storage' {
  interface StorageService {
    store(key: string, value: string, scope: number, target: number): void
  }
  export const IStorageService: { service: StorageService }
}
declare module 'monaco-editor/editor/common/services/model' {
  import type { editor, Uri } from 'monaco-editor'
  interface ModelService {
    createModel(text: unknown, language: unknown, uri: Uri): editor.ITextModel
  }
  export const IModelService: { service: ModelService }
}
declare module 'monaco-editor/editor/common/languages/language' {
  import type { Uri } from 'monaco-editor'
  interface LanguageService {
    createByFilepathOrFirstLine(uri: Uri, firstLine: string): unknown
    createById(languageId: string): unknown
  }
  export const ILanguageService: { service: LanguageService }
}
declare module 'monaco-editor/editor/common/model/pieceTreeTextBuffer/pieceTreeBase' {
  export class StringBuffer {
    constructor(text: string, lineStarts: Uint32Array)
  }
}
declare module 'monaco-editor/editor/common/model/pieceTreeTextBuffer/pieceTreeTextBuffer' {
  import type { StringBuffer } from 'monaco-editor/editor/common/model/pieceTreeTextBuffer/pieceTreeBase'
  export class PieceTreeTextBuffer {
    constructor(
      chunks: readonly StringBuffer[],
      byteOrderMark: string,
      eol: string,
      containsRTL: boolean,
      containsUnusualLineTerminators: boolean,
      isBasicAscii: boolean,
      eolNormalized: boolean,
    )
    getLineCount(): number
    getLineContent(line: number): string
    getLength(): number
    mightContainRTL(): boolean
    mightContainUnusualLineTerminators(): boolean
  }
}
declare module 'monaco-editor/editor/common/model/pieceTreeTextBuffer/pieceTreeTextBufferBuilder' {
  import type { PieceTreeTextBuffer } from 'monaco-editor/editor/common/model/pieceTreeTextBuffer/pieceTreeTextBuffer'
  export class PieceTreeTextBufferBuilder {
    acceptChunk(text: string): void
    finish(): { create(eol: number): { textBuffer: PieceTreeTextBuffer } }
  }
}
declare module 'monaco-editor/base/common/strings' {
  export function containsRTL(text: string): boolean
  export function containsUnusualLineTerminators(text: string): boolean
}
declare module 'monaco-editor/editor/common/languages' {
  import type { editor, IDisposable, languages } from 'monaco-editor'
  import type { ContiguousMultilineTokens } from 'monaco-editor/editor/common/tokens/contiguousMultilineTokens'
  /** Where a background tokenizer stores its results for a model. */
  export interface BackgroundTokenStore {
    setTokens(tokens: readonly ContiguousMultilineTokens[]): void
    setEndState(lineNumber: number, state: languages.IState): void
    backgroundTokenizationFinished(): void
  }
  /** What Monaco's models have beside their public interface. */
  export interface TokenizedModel {
    readonly tokenization: {
      getLineTokens(lineNumber: number): {
        getCount(): number
        getEndOffset(index: number): number
        getMetadata(index: number): number
      }
    }
  }
  export interface TokenizationSupport {
    getInitialState(): languages.IState
    tokenizeEncoded(line: string, hasEol: boolean, state: languages.IState): languages.IEncodedLineTokens
    createBackgroundTokenizer?(
      model: editor.ITextModel,
      store: BackgroundTokenStore,
    ): { dispose(): void; requestTokens(startLine: number, endLine: number): void }
  }
  export const TokenizationRegistry: {
    get(languageId: string): TokenizationSupport | null
    register(languageId: string, support: TokenizationSupport): IDisposable
    getOrCreate(languageId: string): Promise<TokenizationSupport | null>
  }
}
declare module 'monaco-editor/editor/common/tokens/contiguousMultilineTokens' {
  export class ContiguousMultilineTokens {
    constructor(startLineNumber: number, tokens: Uint32Array[])
    readonly endLineNumber: number
    appendLineTokens(tokens: Uint32Array): void
  }
}
