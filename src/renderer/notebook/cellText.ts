import { changedSpan } from '../../shared/editor/changedSpan.ts'

const byteOrderMark = '\uFEFF'

/** The text that an editor shows for the source of a cell. Monaco knows one kind of line end and no byte order mark. */
export function editorText(source: string): string {
  const text = source.startsWith(byteOrderMark) ? source.slice(1) : source
  return text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
}

/** Applies an edit of the shown text to the source of a cell. Line ends outside the edit stay. */
export function editedSource(source: string, text: string): string {
  const shown = editorText(source)
  if (shown === source) return text
  const { start, oldEnd, newEnd } = changedSpan(shown, text)
  const added = text.slice(start, newEnd)
  const hasOnlyCrLf = !source.replaceAll('\r\n', '').includes('\n') && source.includes('\r\n')
  return (
    source.slice(0, sourceOffset(source, start)) +
    (hasOnlyCrLf ? added.replaceAll('\n', '\r\n') : added) +
    source.slice(sourceOffset(source, oldEnd))
  )
}

/** Position in the source of a position in the shown text. */
function sourceOffset(source: string, offset: number): number {
  let at = source.startsWith(byteOrderMark) ? 1 : 0
  for (let shown = 0; shown < offset; shown += 1) at += source.startsWith('\r\n', at) ? 2 : 1
  return at
}
