import type { LineRange } from '../../../shared/diff/lineHunks.ts'
import type { InlineEditTarget, LocateCodeBlockParams } from '../../../shared/agent/inlineEdit.ts'
import { maxSurrounding } from '../../../shared/agent/inlineEditLimits.ts'
import type { monaco } from './monaco/monaco.ts'

type Model = monaco.editor.ITextModel

/**
 * Returns the lines of a selection. Without a selection, targets the current line if it is blank; otherwise inserts
 * above it when the cursor precedes its text, or below it.
 */
export function rangeOf(model: Model, selection: monaco.Selection): LineRange {
  const { startLineNumber: first, endLineNumber: last, endColumn } = selection
  if (!selection.isEmpty()) {
    const end = endColumn === 1 && last > first ? last - 1 : last
    return { start: first, count: end - first + 1 }
  }
  const line = model.getLineContent(first)
  if (line.trim() === '') return { start: first, count: 1 }
  const beforeText = line.slice(0, endColumn - 1).trim() === ''
  return { start: beforeText ? first : first + 1, count: 0 }
}

export function linesOf(model: Model, { start, count }: LineRange): string[] {
  return Array.from({ length: count }, (_, index) => model.getLineContent(start + index))
}

/** Describes the lines and their surroundings for the model. A blank line is where text is inserted. */
export function describeTarget(model: Model, path: string, range: LineRange): InlineEditTarget {
  const lines = linesOf(model, range)
  const inserts = lines.every((line) => line.trim() === '') && lines.length <= 1
  const { insertSpaces, indentSize } = model.getOptions()
  return {
    path,
    language: model.getLanguageId() === 'plaintext' ? '' : model.getLanguageId(),
    selection: inserts ? null : lines,
    line: range.start,
    before: textBefore(model, range.start),
    after: textAfter(model, range.start + range.count),
    cursorIndent: inserts ? (lines[0] ?? '') : '',
    indentation: { tabs: !insertSpaces, size: indentSize },
  }
}

function textBefore(model: Model, line: number): string {
  if (line <= 1) return ''
  const end = { lineNumber: line - 1, column: model.getLineMaxColumn(line - 1) }
  const start = model.getPositionAt(Math.max(0, model.getOffsetAt(end) - maxSurrounding))
  return model.getValueInRange(spanOf(start, end))
}

function textAfter(model: Model, line: number): string {
  if (line > model.getLineCount()) return ''
  const start = { lineNumber: line, column: 1 }
  return model.getValueInRange(spanOf(start, model.getPositionAt(model.getOffsetAt(start) + maxSurrounding)))
}

/** Describes a whole file, to find where a code block goes. */
export function describeFile(
  model: Model,
  selection: monaco.Selection,
): Omit<LocateCodeBlockParams, 'path' | 'code' | 'language'> {
  const range = rangeOf(model, selection)
  const { insertSpaces, indentSize } = model.getOptions()
  return {
    text: model.getValue(),
    selection: selection.isEmpty() ? null : range,
    cursor: range,
    indentation: { tabs: !insertSpaces, size: indentSize },
  }
}

/** Returns the edit that replaces lines without changing the line ending of the last line. */
export function lineEdit(
  model: Model,
  { start, count }: LineRange,
  lines: readonly string[],
): { range: monaco.IRange; text: string } {
  const text = lines.join('\n')
  const last = start + count - 1
  if (count > 0 && lines.length > 0) return { range: lineSpan(model, start, last), text }
  if (count > 0) {
    if (last < model.getLineCount())
      return { range: spanOf({ lineNumber: start, column: 1 }, { lineNumber: last + 1, column: 1 }), text }
    if (start === 1) return { range: lineSpan(model, start, last), text }
    const end = { lineNumber: last, column: model.getLineMaxColumn(last) }
    return { range: spanOf({ lineNumber: start - 1, column: model.getLineMaxColumn(start - 1) }, end), text }
  }
  if (start === 1) return { range: spanOf({ lineNumber: 1, column: 1 }), text: `${text}\n` }
  return { range: spanOf({ lineNumber: start - 1, column: model.getLineMaxColumn(start - 1) }), text: `\n${text}` }
}

/** Returns a range that tracks the lines while other text changes. */
export function trackedSpan(model: Model, { start, count }: LineRange): monaco.IRange {
  if (count > 0) return lineSpan(model, start, start + count - 1)
  return start === 1
    ? spanOf({ lineNumber: 1, column: 1 })
    : spanOf({ lineNumber: start - 1, column: model.getLineMaxColumn(start - 1) })
}

function lineSpan(model: Model, first: number, last: number): monaco.IRange {
  return spanOf({ lineNumber: first, column: 1 }, { lineNumber: last, column: model.getLineMaxColumn(last) })
}

function spanOf(start: monaco.IPosition, end: monaco.IPosition = start): monaco.IRange {
  return {
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column,
  }
}
