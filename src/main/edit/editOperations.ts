import { ToolError } from '../../shared/errors.ts'
import { isLeadingLine, isModifiers, modifiersToKeep } from './definitionRange.ts'
import type { EditRange } from './editRange.ts'
import { wholeLines } from './tolerantMatching.ts'

/** Operations on a range. The names are values of a tool argument. */
export const editOperations = ['replace', 'insert_after', 'insert_before', 'delete'] as const
export type EditOperation = (typeof editOperations)[number]

/**
 * Replaces or deletes a range, or inserts lines below it, or above it and its comments. Content whose first line is not
 * indented gets the range's indentation.
 * @throws ToolError invalid_arguments if content is missing or not allowed, no_change
 */
export function applyEditOperation(
  text: string,
  place: EditRange,
  operation: EditOperation,
  content: string | undefined,
): string {
  const given = checkContent(operation, content)
  const after = apply(text, place, operation, given)
  if (after === text) {
    throw new ToolError(
      'no_change',
      'The file would not change: it already contains the new text there.',
      'Read the file again: it may already contain the change.',
    )
  }
  return after
}

function apply(text: string, place: EditRange, operation: EditOperation, content: string): string {
  switch (operation) {
    case 'delete':
      return remove(text, place)
    case 'replace':
      return replace(text, place, content)
    case 'insert_after':
      return insert(text, place.endLine, place, content)
    case 'insert_before':
      return insert(text, place.leadLine - 1, place, content)
  }
}

function checkContent(operation: EditOperation, content: string | undefined): string {
  if (operation === 'delete') {
    if (content === undefined || content === '') return ''
    throw new ToolError(
      'invalid_arguments',
      'operation "delete" takes no content, but content was passed.',
      'Omit content, or use operation "replace".',
    )
  }
  if (content === undefined) {
    throw new ToolError(
      'invalid_arguments',
      `content is missing; operation "${operation}" requires it.`,
      'Put the new text into content.',
    )
  }
  if (content === '' && operation !== 'replace') {
    throw new ToolError(
      'invalid_arguments',
      'content is empty, so there is nothing to insert.',
      'Put the new text into content.',
    )
  }
  return content.replaceAll('\r\n', '\n')
}

/** Whether a range fills its lines, apart from whitespace. */
function fillsLines(text: string, { start, end }: EditRange): boolean {
  return textBefore(text, start).trim() === '' && textAfter(text, end).trim() === ''
}

/** Deletes a range, with its comments and lines if nothing else is on them. */
function remove(text: string, place: EditRange): string {
  if (!takesLines(text, place)) return text.slice(0, place.start) + text.slice(place.end)
  const lines = text.split('\n')
  lines.splice(place.leadLine - 1, place.endLine - place.leadLine + 1)
  return lines.join('\n')
}

/** Whether a range shares its lines only with modifiers and closing punctuation, which are removed with it. */
function takesLines(text: string, place: EditRange): boolean {
  return (
    fillsLines(text, place) ||
    (isModifiers(textBefore(text, place.start)) && /^[;,\s]*$/.test(textAfter(text, place.end)))
  )
}

function replace(text: string, place: EditRange, content: string): string {
  if (content === '') return remove(text, { ...place, leadLine: place.startLine })
  if (!takesLines(text, place)) return text.slice(0, place.start) + content + text.slice(place.end)
  const prefix = textBefore(text, place.start).trim()
  const suffix = textAfter(text, place.end).trim()
  // Content with its own comment or decorators replaces existing ones.
  const first = isLeadingLine(wholeLines(content)[0] ?? '') ? place.leadLine : place.startLine
  const fitted = adjustIndentation(content, place, text)
  // Keeps modifiers and closing punctuation unless the new text has its own.
  const prefixKept = first === place.startLine ? modifiersToKeep(prefix, content) : ''
  const opening = prefixKept === '' ? fitted : prefixed(fitted, prefixKept)
  const closing = suffix !== '' && !content.trimEnd().endsWith(suffix) ? suffix : ''
  const lines = text.split('\n')
  lines.splice(first - 1, place.endLine - first + 1, ...wholeLines(opening + closing))
  return lines.join('\n')
}

function prefixed(content: string, prefix: string): string {
  const indent = indentOf(content)
  return `${indent}${prefix} ${content.slice(indent.length)}`
}

/** @param at number of lines before the insertion */
function insert(text: string, at: number, place: EditRange, content: string): string {
  const lines = text.split('\n')
  lines.splice(at, 0, ...adjustIndentation(content, place, text).split('\n'))
  return lines.join('\n')
}

/**
 * Indents content whose first line is not indented. Models either start all lines at the left edge, or indent all but
 * the first as in the file; in the second case no line is indented less than the range.
 */
function adjustIndentation(content: string, place: EditRange, text: string): string {
  const indent = place.indent ?? indentOf(text.split('\n')[place.startLine - 1] ?? '')
  const lines = wholeLines(content)
  const [first = '', ...others] = lines
  if (indent === '' || first.trim() === '' || indentOf(first) !== '') return lines.join('\n')
  const rest = others.filter((line) => line.trim() !== '')
  const deeper = indentOf(rest[0] ?? '').length > indent.length
  const inPlace = deeper && rest.every((line) => indentOf(line).length >= indent.length)
  if (inPlace) return [indent + first, ...others].join('\n')
  return lines.map((line) => (line.trim() === '' ? line : indent + line)).join('\n')
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** Returns the text before an offset on its line. */
function textBefore(text: string, offset: number): string {
  return offset === 0 ? '' : text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
}

function textAfter(text: string, offset: number): string {
  const end = text.indexOf('\n', offset)
  return text.slice(offset, end < 0 ? text.length : end)
}
