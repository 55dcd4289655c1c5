import type { FoundSymbol, SymbolRow } from '../../code/codeIndex.ts'
import { definitionEditRange, isModifiers, withoutVisibility } from '../../edit/definitionRange.ts'
import type { EditRange } from '../../edit/editRange.ts'
import { applyEditOperation, type EditOperation } from '../../edit/editOperations.ts'
import type { MatchedRange } from '../../edit/tolerantMatching.ts'

// Text in the header of a definition, such as "fn validate_token" in "pub fn validate_token(…) {", stands for the whole
// definition unless only the header is to change.

/** A match of text in a definition's header. */
export interface HeaderMatch {
  /** The matched text alone. */
  range: EditRange
  /** The whole definition. */
  whole: EditRange
  symbol: SymbolRow
}

/** An edit whose location matches the header of a definition. */
export interface HeaderEdit {
  text: string
  location: string
  operation: EditOperation
  content: string
  /** Number of syntax errors that a text would cause, or undefined if unknown. */
  faults(after: string): Promise<number | undefined>
  symbolsIn(after: string): Promise<FoundSymbol[]>
}

/** Ends a header or an incomplete statement. */
const opener = /(?:[{(:]|=>|\bdo)\s*$/

/** Returns the range of a definition for an operation. */
export function symbolRange(text: string, symbol: SymbolRow, operation: EditOperation): EditRange {
  const { line, column, end_line: endLine, end_column: endColumn, name_line: nameLine } = symbol
  const range = definitionEditRange(text, { line, column, endLine, endColumn, nameLine })
  return operation === 'replace' ? withoutVisibility(text, range) : range
}

/** Returns a match if the text contains the name in a definition's header, otherwise undefined. */
export function headerMatch(
  text: string,
  found: MatchedRange,
  symbol: SymbolRow,
  operation: EditOperation,
): HeaderMatch | undefined {
  const whole = symbolRange(text, symbol, operation)
  const name = offsetOf(text, symbol.name_line, symbol.name_column)
  const nameEnd = name + symbol.name.length
  if (found.startLine < whole.leadLine || found.start > name || found.end < nameEnd || found.end >= whole.end)
    return undefined
  // The text may contain only a part of the name.
  if (/[\w$]/.test(text[nameEnd] ?? '') || text.slice(name, nameEnd) !== symbol.name) return undefined
  const before = text.slice(text.lastIndexOf('\n', found.start - 1) + 1, found.start)
  // Text before the match on its line stays, unless the content has modifiers.
  const start = operation === 'replace' && isModifiers(before) ? found.start : whole.start
  const startLine = operation === 'replace' && isModifiers(before) ? found.startLine : whole.startLine
  return { range: { ...found, leadLine: found.startLine }, whole: { ...whole, start, startLine }, symbol }
}

/** Decides what an edit applies to. `inside`: below the header, at the start of the body. */
export async function extentOf(match: HeaderMatch, edit: HeaderEdit): Promise<'text' | 'whole' | 'inside'> {
  const { operation } = edit
  if (operation === 'replace') return replacedExtent(match, edit)
  return operation === 'insert_after' && opener.test(edit.location) && !(await isDefinitionBehind(match, edit))
    ? 'inside'
    : 'whole'
}

async function replacedExtent({ range, whole, symbol }: HeaderMatch, edit: HeaderEdit): Promise<'text' | 'whole'> {
  const { text, location, content } = edit
  if (content.trim() === '') return 'whole'
  const asText = text.slice(0, range.start) + content + text.slice(range.end)
  const asWhole = applyEditOperation(text, whole, 'replace', content)
  const [textFaults, wholeFaults] = [await edit.faults(asText), await edit.faults(asWhole)]
  const complete = await definesAgain(symbol, text, asWhole, edit)
  if (complete && wholeFaults === 0 && textFaults !== 0) return 'whole'
  if (textFaults === 0 && (wholeFaults !== 0 || !complete)) return 'text'
  // If both or neither parse, the length decides.
  const nameLast = location.trimEnd().endsWith(symbol.name)
  return nameLast || content.trimEnd().split('\n').length > location.trimEnd().split('\n').length ? 'whole' : 'text'
}

/** Returns whether the changed lines contain a definition, with a body if the old definition has one. */
async function definesAgain(symbol: SymbolRow, before: string, after: string, edit: HeaderEdit): Promise<boolean> {
  const { first, last } = changedLines(before, after)
  const found = await edit.symbolsIn(after)
  return found.some(({ nameLine, body }) => {
    if (nameLine < first || nameLine > last) return false
    return (
      symbol.body_line === null || (body !== undefined && (body.endLine > body.line || body.endColumn > body.column))
    )
  })
}

async function isDefinitionBehind({ whole }: HeaderMatch, edit: HeaderEdit): Promise<boolean> {
  const header = edit.text.split('\n')[whole.startLine - 1] ?? ''
  if (indentOf(edit.content).length > indentOf(header).length) return false
  const after = applyEditOperation(edit.text, whole, 'insert_after', edit.content)
  if ((await edit.faults(after)) !== 0) return false
  const count = edit.content.trimEnd().split('\n').length
  const found = await edit.symbolsIn(after)
  return found.some(
    ({ kind, range }) => range.line > whole.endLine && range.line <= whole.endLine + count && kind !== 'variable',
  )
}

function changedLines(before: string, after: string): { first: number; last: number } {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let first = 0
  while (first < b.length && a[first] === b[first]) first += 1
  let tail = 0
  while (tail < b.length - first - 1 && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  return { first: first + 1, last: b.length - tail }
}

function indentOf(text: string): string {
  return /^[ \t]*/.exec(text)?.[0] ?? ''
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 0
  for (let passed = 1; passed < line; passed += 1) at = text.indexOf('\n', at) + 1
  return at + column - 1
}
