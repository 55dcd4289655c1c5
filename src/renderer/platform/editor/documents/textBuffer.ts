import type { TextChange } from '../../../../shared/editor/textChanges.ts'

/** The text of an open file: a Monaco model in the window (monacoBuffer.ts), plain text in tests. */
export interface TextBuffer {
  /** The text with `\n` line endings. */
  text(): string
  /** Replaces the text as one undo step with minimal edits, so that cursors outside the edits stay in place. */
  replace(text: string, options?: { highlight?: boolean }): void
  /**
   * Applies changes in order as one undo step. Cheaper than `replace` in a long text.
   * @param options `joins`: extends the last undo step, for text that is typed
   */
  edit(changes: readonly TextChange[], options?: { joins?: boolean }): void
  undo(): void
  redo(): void
  /** Id of the text's language in Monaco. */
  language(): string
  /** Version of the text. Equal versions mean equal texts, because undo restores the earlier version. */
  version(): number
  /** Length of `text()` in UTF-16 units. */
  length(): number
  /**
   * Calls the listener after each change, with null if the whole text was replaced.
   * @returns a function that unsubscribes
   */
  onChange(listener: (changes: readonly TextChange[] | null) => void): () => void
  /** Calls the listener after each undo and redo. @returns a function that unsubscribes */
  onUndo?(listener: () => void): () => void
  /**
   * Returns a buffer for another path with the same text, version and undo steps. Only `dispose` may be called on this
   * one afterwards.
   */
  moveTo(path: string): TextBuffer
  dispose(): void
}

export interface BufferOptions {
  path: string
  text: string
  readonly: boolean
  /** Language id. Default: that of the file name. */
  language?: string
}

/** Creates a file's buffer. Asynchronous, because the first file loads Monaco. */
export type CreateBuffer = (options: BufferOptions) => Promise<TextBuffer>
