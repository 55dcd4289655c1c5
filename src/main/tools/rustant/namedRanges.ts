import { ToolError } from '../../../shared/errors.ts'
import type { SymbolRow } from '../../code/codeIndex.ts'
import { bracketBalance, isLeadingLine } from '../../edit/definitionRange.ts'
import { wholeLinesRange, type EditRange } from '../../edit/editRange.ts'
import type { EditOperation } from '../../edit/editOperations.ts'

// Ranges of a file with fixed names: start, end, imports, and the body of a definition.

const fileEnd = /^(?:(?:at|to) )?(?:the )?(?:very )?(?:(?:end|bottom) of (?:the |this )?file|eof|file end)$/i
const fileStart =
  /^(?:(?:at|to) )?(?:the )?(?:very )?(?:(?:start|top|beginning|head) of (?:the |this )?file|file start)$/i
const imports =
  /^(?:the )?(?:imports?|uses?|includes?|requires?)(?: (?:block|section|statements?|lines|list|group|directives|declarations))?$/i
const opensList = /[({]\s*$/
const importStatement = /^(?:pub )?(?:use|import|from|using|#\s*include|require)\b[^=]*$/
/** Maximum lines of one import. */
const maxImportLines = 60

/**
 * Resolves "end of file" or "start of file" to an insertion point. Undefined for other locations.
 * @throws ToolError invalid_arguments for `replace` and `delete`
 */
export function fileBoundary(text: string, location: string, operation: EditOperation): EditRange | undefined {
  const atEnd = fileEnd.test(location)
  if (!atEnd && !fileStart.test(location)) return undefined
  if (operation === 'replace' || operation === 'delete') {
    throw new ToolError(
      'invalid_arguments',
      `"${location}" is a point between lines, but operation "${operation}" needs text.`,
      'Use insert_after or insert_before, or pass line numbers.',
    )
  }
  const lines = text.split('\n')
  if (atEnd) {
    const count = text === '' ? 0 : lines.length - (text.endsWith('\n') ? 1 : 0)
    return pointAfterLine(text, count)
  }
  return pointAfterLine(text, /^(?:#!|<\?)/.test(lines[0] ?? '') ? 1 : 0)
}

/** Returns the empty range after a line, where both insert operations add lines. Line 0 is the start of the file. */
function pointAfterLine(text: string, line: number): EditRange {
  return { start: text.length, end: text.length, startLine: line + 1, endLine: line, leadLine: line + 1, indent: '' }
}

/** Returns whether a location names the imports of a file. */
export function namesImports(location: string): boolean {
  return imports.test(location)
}

/** Returns the first block of imports, or undefined if there are none. */
export function importsRange(text: string, symbols: readonly SymbolRow[]): EditRange | undefined {
  const lines = text.split('\n')
  const named = symbols.filter(({ kind }) => kind === 'import').map(({ line }) => line)
  if (named.length === 0) return undefined
  // The grammar's query can miss some import statements.
  const written = lines.flatMap((line, index) => (importStatement.test(line) ? [index + 1] : []))
  const found = [...new Set([...named, ...written])].toSorted((a, b) => a - b)
  const [first] = found
  if (first === undefined) return undefined
  // In Go's `import (` block the names are on the following lines.
  const start = opensList.test(lines[first - 2] ?? '') ? first - 1 : first
  let end = statementEnd(lines, start)
  for (const line of found) {
    if (line <= end) continue
    const between = lines.slice(end, line - 1)
    if (!between.every((text) => text.trim() === '' || isLeadingLine(text) || opensList.test(text))) break
    const opening = between.findIndex((text) => opensList.test(text))
    end = Math.max(statementEnd(lines, opening < 0 ? line : end + opening + 1), line)
  }
  return wholeLinesRange(text, start, end)
}

/** Returns the last line of a statement, where its brackets are closed. */
function statementEnd(lines: readonly string[], line: number): number {
  let depth = 0
  for (let at = line; at <= lines.length && at < line + maxImportLines; at += 1) {
    depth += bracketBalance(lines[at - 1] ?? '')
    if (depth <= 0) return at
  }
  return line
}

/**
 * Returns the description of the definition in "body of X" or "X's body"; undefined if the location does not refer to
 * a body.
 */
export function ownerOfBody(location: string): string | undefined {
  const found =
    /^(?:the )?(?:whole |entire )?body of (?:the )?(.+)$/i.exec(location) ??
    /^(?:the )?(.+?)(?:'s)? body$/i.exec(location)
  return found?.[1]
}

/**
 * Returns the lines between the header and the end of a definition.
 * @throws ToolError no_match if the body has no separate lines
 */
export function bodyRange(text: string, path: string, symbol: SymbolRow): EditRange {
  const lines = text.split('\n')
  const opening = symbol.body_line ?? symbol.end_line + 1
  const closing = symbol.body_end_line ?? 0
  let first = /[{(]\s*(?:\|[^|]*\|\s*)?$/.test(lines[opening - 1] ?? '') ? opening + 1 : opening
  // In the grammars of Python and Ruby a body starts after its first comments.
  while (first > symbol.name_line + 1 && isLeadingLine(lines[first - 2] ?? '')) first -= 1
  const last = /^\s*[})\]]/.test(lines[closing - 1] ?? '') ? closing - 1 : closing
  if (first > symbol.name_line && first <= last) return wholeLinesRange(text, first, last)
  throw new ToolError(
    'no_match',
    `The ${symbol.kind} ${symbol.qualified} (${path}:${symbol.line}-${symbol.end_line}) has no body on separate lines.`,
    'Use line numbers, or pass the name of the definition to replace it completely.',
  )
}
