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
