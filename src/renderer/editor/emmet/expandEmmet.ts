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

/** Lines that can be wrapped. Emmet leaves further ones out. */
export const maxWrappedLines = 1000
/** Longest abbreviation of a property, in UTF-16 units. */
const maxPropertyLength = 40

/** An abbreviation before the cursor and what it expands to. */
export interface Expansion {
  abbreviation: string
  /** Snippet with tab stops. */
  snippet: string
  /** Columns of the abbreviation in its line, from 1. */
  startColumn: number
  endColumn: number
}

/** `abbreviation` is the text that it replaces. */
export interface Suggestion extends Expansion {
  label: string
  detail: string
}

/** Returns Emmet's suggestions for the text of a line before the cursor. */
export function suggestEmmet(before: string, syntax: string): Suggestion[] {
  if (getSyntaxType(syntax) === 'stylesheet') return suggestProperty(before, syntax)
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
        abbreviation: before.slice(at.offset + start.character, at.offset + end.character),
        snippet: textEdit.newText,
        startColumn: at.offset + start.character + 1,
        endColumn: at.offset + end.character + 1,
      },
    ]
  })
}

/**
 * Suggests what an abbreviation of a property means. `doComplete` would make a regular expression of the text before the
 * cursor that takes exponential time.
 */
function suggestProperty(before: string, syntax: string): Suggestion[] {
  const found = expandEmmet(before, syntax)
  if (found === undefined) return []
  const label = found.snippet.replaceAll(/\$\{\d+(?::([^}]*))?\}/g, '$1')
  // Words are names of properties, and short letters mean one only if it has them in this order.
  const isWord = found.abbreviation.length > 4 && /^[a-z-]+$/i.test(found.abbreviation)
  const isMeant = /\d/.test(found.abbreviation) || hasLetters(label, found.abbreviation)
  return isWord || !isMeant ? [] : [{ ...found, label, detail: '' }]
}

/** Whether a text has the letters of another in their order. */
function hasLetters(text: string, letters: string): boolean {
  let at = -1
  return Array.from(letters.toLowerCase()).every((letter) => (at = text.toLowerCase().indexOf(letter, at + 1)) >= 0)
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
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd().replaceAll(/[\\$}]/g, '\\$&'))
  if (lines.length > maxWrappedLines) return undefined
  // With a repeater, each line is an element of its own. Otherwise lines keep their indentation below the first.
  const repeats = /\*(?!\d)/.test(abbreviation)
  const indents = lines
    .slice(1)
    .filter((line) => line !== '')
    .map(indentOf)
  const common = Math.min(...indents)
  const inner = lines.map((line, index) =>
    repeats || index === 0 ? line.trim() : line.slice(Math.min(common, indentOf(line))),
  )
  return expanded(abbreviation, syntax, undefined, inner)
}

const indentOf = (line: string): number => line.length - line.trimStart().length

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
  const longest = getSyntaxType(syntax) === 'stylesheet' ? maxPropertyLength : maxLength
  if (abbreviation.length > longest || isTooLarge(abbreviation) || !isAbbreviationValid(syntax, abbreviation))
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
  const counts = [...abbreviation.matchAll(/(?:\*|lorem[a-z]*)(\d*)-?(\d*)/gi)].map((match) =>
    Math.max(Number(match[1]), Number(match[2])),
  )
  const names = abbreviation.split(/[>+^]/).length
  return counts.reduce((product, count) => product * Math.max(count, 1), names) > maxElements
}
