import type { TextFormat } from '../../shared/files/textFormat.ts'
import type { TextReview } from './textReview.ts'

/** Content at a path. Text has `\n` line endings. */
export type Content =
  | { kind: 'missing' }
  /**
   * `hash`: of the stored bytes; absent if the text has changed since. `from`: of the bytes that it was derived from,
   * whose mixed line endings it keeps.
   */
  | { kind: 'text'; text: string; format: TextFormat; mode: number; hash?: string; from?: string }
  /** `why`: why it is not text, as a sentence for the user. */
  | { kind: 'binary'; hash: string; mode: number; why?: string }
  | { kind: 'link'; target: string }
  /** Content that is not stored. */
  | { kind: 'unknown'; why: string }

export const missing: Content = { kind: 'missing' }

export function sameContent(one: Content, other: Content): boolean {
  switch (one.kind) {
    case 'missing':
      return other.kind === 'missing'
    case 'text':
      return (
        other.kind === 'text' &&
        one.mode === other.mode &&
        one.text === other.text &&
        sameFormat(one.format, other.format)
      )
    case 'binary':
      return other.kind === 'binary' && one.hash === other.hash && one.mode === other.mode
    case 'link':
      return other.kind === 'link' && one.target === other.target
    case 'unknown':
      // Content without stored bytes cannot be compared. After a keep, base and current content are one object.
      return one === other
  }
}

export function sameFormat(one: TextFormat, other: TextFormat): boolean {
  return one.encoding === other.encoding && one.eol === other.eol
}

/** Whether two texts have the same permissions and format. */
export function sameProperties(one: Content, other: Content): boolean {
  if (one.kind !== 'text' || other.kind !== 'text') return one.kind === other.kind
  return one.mode === other.mode && sameFormat(one.format, other.format)
}

type TextContent = Extract<Content, { kind: 'text' }>

/** Returns a changed text that is not stored yet. The base of a comparison is computed on demand. */
export function derived(
  content: TextContent,
  change: { text?: string | TextReview; mode?: number; format?: TextFormat; hash?: string | undefined },
): TextContent {
  const { text = content, mode = content.mode, format = content.format, hash } = change
  return {
    kind: 'text',
    get text() {
      return typeof text === 'string' ? text : 'base' in text ? text.base : text.text
    },
    format,
    mode,
    hash,
    from: content.hash ?? content.from,
  }
}

export function isTextual({ kind }: Content): boolean {
  return kind === 'text' || kind === 'missing'
}

export function textOf(content: Content): string {
  return content.kind === 'text' ? content.text : ''
}
