import {
  doComplete,
  expandAbbreviation,
  extractAbbreviation,
  getExpandOptions,
  getSyntaxType,
  isAbbreviationValid,
} from '@vscode/emmet-helper'
import { TextDocument } from 'vscode-languageserver-textdocument'

/** Longest part of a line that is read before the cursor, in UTF-16 units. Emmet reads the rest in quadratic time. */
const maxLength = 300
/** Elements that an abbreviation may create. Emmet's own limit of 1,000 does not hold for `lorem99999999`. */
const maxElements = 5000

/** An abbreviation before the cursor and what it expands to. */
export interface Expansion {
  abbreviation: string
  /** Snippet with tab stops. */
  snippet: string
  /** Columns of the abbreviation in its line, from 1. */
  startColumn: number
  endColumn: number
}

/** Returns Emmet's suggestions for the text of a line before the cursor. */
export function suggestEmmet(before: string, syntax: string): (Expansion & { label: string; detail: string })[] {
  const at = lineEnd(before)
  if (isTooLarge(abbreviationBefore(at, syntax)?.abbreviation)) return []
  const list = doComplete(at.document, at.position, syntax, {})
  return (list?.items ?? []).flatMap(({ label, textEdit, detail = '' }) => {
    if (textEdit === undefined || !('range' in textEdit)) return []
    const { start, end } = textEdit.range
    return [
      {
        label,
        detail,
        abbreviation: label,
        snippet: textEdit.newText,
        startColumn: at.offset + start.character + 1,
        endColumn: at.offset + end.character + 1,
      },
    ]
  })
}

/** Expands the abbreviation that ends a line's text before the cursor. @returns undefined if there is none */
export function expandEmmet(before: string, syntax: string): Expansion | undefined {
  const at = lineEnd(before)
  const found = abbreviationBefore(at, syntax)
  const snippet = found && expanded(found.abbreviation, syntax, found.filter)
  if (found === undefined || snippet === undefined) return undefined
  const { start, end } = found.abbreviationRange
  return {
    abbreviation: found.abbreviation,
    snippet,
    startColumn: at.offset + start.character + 1,
    endColumn: at.offset + end.character + 1,
  }
}

/**
 * Puts lines of text into the innermost element of an abbreviation. With a repeater such as `li*`, each line has its own.
 * @returns a snippet, undefined if the abbreviation is invalid or too large
 */
export function wrapWithEmmet(abbreviation: string, text: string, syntax: string): string | undefined {
  // A `$` or `}` of the text would be read as part of the snippet.
  const lines = text.split(/\r?\n/).map((line) => line.trim().replaceAll(/[\\$}]/g, '\\$&'))
  return expanded(abbreviation, syntax, undefined, lines)
}

interface LineEnd {
  document: TextDocument
  position: { line: number; character: number }
  /** UTF-16 units of the line before the document. */
  offset: number
}

function lineEnd(before: string): LineEnd {
  const text = before.slice(-maxLength)
  return {
    document: TextDocument.create('line:', 'html', 0, text),
    position: { line: 0, character: text.length },
    offset: before.length - text.length,
  }
}

function abbreviationBefore({ document, position }: LineEnd, syntax: string): ReturnType<typeof extractAbbreviation> {
  return extractAbbreviation(document, position, { lookAhead: false, type: getSyntaxType(syntax) })
}

function expanded(abbreviation: string, syntax: string, filter?: string, text?: string[]): string | undefined {
  if (abbreviation.length > maxLength || isTooLarge(abbreviation) || !isAbbreviationValid(syntax, abbreviation))
    return undefined
  const options = getExpandOptions(syntax, {}, filter)
  if (text !== undefined) options.text = text.length === 1 ? text[0] : text
  try {
    return expandAbbreviation(abbreviation, options)
  } catch {
    // The user has not finished it yet.
    return undefined
  }
}

/** Whether an abbreviation could create so many elements or words that the window would stand still. */
function isTooLarge(abbreviation = ''): boolean {
  const counts = [...abbreviation.matchAll(/(?:\*|lorem[a-z]*?)(\d+)/gi)].map((match) => Number(match[1]))
  const names = abbreviation.split(/[>+^]/).length
  return counts.reduce((product, count) => product * Math.max(count, 1), names) > maxElements
}
