import type { TextChange } from '../../../shared/textChanges.ts'

/** The text of an open file. Monaco's model in the window (monacoBuffer.ts); plain text where there is no Monaco. */
export interface TextBuffer {
  /** `\n` line ends. */
  text(): string
  /** Another whole text as one undo step with minimal edits, so that cursors outside of them stay. */
  replace(text: string, options?: { highlight?: boolean }): void
  /** The same number means the same text: undoing back to a state gives that state's number again. */
  version(): number
  /** UTF-16 units of `text()`. */
  length(): number
  /** Calls with each change of the text, or with null when the whole text is another. @returns unsubscribe */
  onChange(listener: (changes: readonly TextChange[] | null) => void): () => void
  dispose(): void
}

export interface BufferOptions {
  path: string
  text: string
  readonly: boolean
}

/** A buffer of its own for each open file; asynchronous because Monaco is loaded when the first file is opened. */
export type CreateBuffer = (options: BufferOptions) => Promise<TextBuffer>

/** Beyond either limit Monaco stops colouring and folding; the tab says so. */
export const largeFile = { characters: 20 * 1024 * 1024, lines: 300_000 }

export function isLarge(text: string): boolean {
  if (text.length > largeFile.characters) return true
  if (text.length < largeFile.lines) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++lines > largeFile.lines) return true
  }
  return false
}
