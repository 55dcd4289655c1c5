import { ToolError } from '../../../shared/errors.ts'
import type { DescribedPlace, SymbolRow } from '../../code/codeIndex.ts'
import { definitionPlace, linesPlace, type EditPlace, type PlacedOperation } from '../../edit/placedEdit.ts'
import { findPlaces, type Place } from '../../edit/places.ts'
import { describeStage } from '../../edit/match.ts'

/** Where a `location` leads, and how it was found, in words. */
export interface SmartPlace { place: EditPlace; how: string }

export interface SmartLocation {
  path: string
  text: string
  location: string
  operation: PlacedOperation
  content?: string
  /** The file's symbols, as the text stands. */
  symbols(): Promise<SymbolRow[]>
  /** What a description leads to in it. */
  described(description: string): Promise<DescribedPlace>
}

const lineNumbers = /^(?:l|lines?)?[ :]*(\d+)(?:\s*(?:-|–|to|\.\.)\s*l?(\d+))?$/i
const name = /^[\w$]+(?:(?:\.|::|#)[\w$]+)*(?:\(\))?$/
const candidatesShown = 12
/** Symbols of a longer text are not read either. UTF-16 units. */
const longestRanked = 1_000_000

/**
 * Finds the one place that a location means: line numbers, the name of a symbol, a text that stands there, or a description. Throws
 * `invalid_arguments`, `out_of_range`, `too_large` (a description of a place in a very long file), `no_match`, and `ambiguous_match`
 * with the candidates.
 */
export async function findSmartPlace(given: SmartLocation): Promise<SmartPlace> {
  const location = given.location.replaceAll('\r\n', '\n')
  if (location.trim() === '') {
    throw new ToolError(
      'invalid_arguments',
      'location is empty.',
      'Give a text of the file, "line 12", "lines 12-20", the name of a symbol, or a description.',
    )
  }
  const numbers = lineNumbers.exec(location.trim())
  if (numbers) return byLines(given, Number(numbers[1]), Number(numbers[2] ?? numbers[1]))
  if (name.test(location.trim())) {
    const found = await byName(given, location.trim())
    if (found) return found
  }
  const exact = findPlaces(given.text, location)
  if (exact) return byText(given, location, exact.places, describeStage(exact.stage), exact.more)
  return byDescription(given, location)
}

function byLines({ text, path }: SmartLocation, first: number, last: number): SmartPlace {
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (first > last) throw new ToolError('invalid_arguments', `Line ${first} is after line ${last}.`, 'Give the first line first.')
  if (first < 1 || last > count) {
    throw new ToolError(
      'out_of_range',
      `"${path}" has ${count} lines, so there is no line ${first < 1 ? first : last}.`,
      'Read the file and use a line that is there.',
    )
  }
  return { place: linesPlace(text, first, last), how: 'by line number' }
}

/** A text that may well be a symbol's name; undefined where it is none. */
async function byName({ text, symbols, path }: SmartLocation, location: string): Promise<SmartPlace | undefined> {
  const wanted = location.replace(/\(\)$/, '').replaceAll(/::|#/g, '.')
  const isWanted = ({ name, qualified }: SymbolRow) => name === wanted || qualified === wanted || qualified.endsWith(`.${wanted}`)
  const found = definitions(await symbols()).filter(isWanted)
  const [only] = found
  if (!only) return undefined
  if (found.length > 1) {
    const lines = found.map((symbol) => symbolLine(path, symbol))
    throw ambiguous(`${found.length} symbols of "${path}" have the name "${location}"`, lines)
  }
  return { place: symbolPlace(text, only), how: `the ${only.kind} ${only.qualified}` }
}

async function byText(given: SmartLocation, location: string, places: readonly Place[], stage: string, more: boolean): Promise<SmartPlace> {
  const { text, path } = given
  const heads = text.length > longestRanked ? [] : definitions(await given.symbols()).flatMap((symbol) => {
    const place = places.find((one) => isHead(text, one, symbol))
    return place ? [{ symbol, place }] : []
  })
  const [head] = heads
  // Of several places the one that begins a definition is meant: the others only mention it.
  if (head && heads.length === 1 && wantsWhole(given, location, head.symbol)) {
    const { kind, qualified } = head.symbol
    return { place: symbolPlace(text, head.symbol), how: `the ${kind} ${qualified}, which begins with this text` }
  }
  const [only] = places
  if (!only || places.length > 1) {
    const count = more ? `more than ${places.length}` : String(places.length)
    const lines = places.slice(0, candidatesShown).map((place) => `${path}:${place.startLine}: ${lineAt(text, place.startLine)}`)
    throw ambiguous(`The text of location stands at ${count} places of "${path}"`, lines, places.length)
  }
  return { place: { ...only, leadLine: only.startLine }, how: stage }
}

/** Whether a text begins a definition and reaches its name. */
function isHead(text: string, place: Place, symbol: SymbolRow): boolean {
  const whole = symbolPlace(text, symbol)
  const line = lineAt(text, symbol.line)
  if (place.startLine !== symbol.line || place.end >= whole.end) return false
  const given = text.slice(place.start, place.end)
  const atStart = place.start === whole.start || line.trimStart().startsWith(given.trimStart().split('\n')[0] ?? '')
  return atStart && new RegExp(`(?<![\\w$])${escape(symbol.name)}(?![\\w$])`).test(given)
}

/** A head alone stands for its definition, unless a new head of the same size is to replace it. */
function wantsWhole({ operation, content = '' }: SmartLocation, location: string, symbol: SymbolRow): boolean {
  if (operation !== 'replace') return true
  const nameLast = new RegExp(`(?<![\\w$])${escape(symbol.name)}\\s*$`).test(location)
  return nameLast || content.trimEnd().split('\n').length > location.trimEnd().split('\n').length
}

async function byDescription(given: SmartLocation, location: string): Promise<SmartPlace> {
  const { text, path } = given
  if (text.length > longestRanked) {
    throw new ToolError(
      'too_large',
      `"${path}" is too long to look for a description in, and the text of location does not stand in it.`,
      'Use line numbers, or a text as it stands in the file.',
    )
  }
  const { chosen, candidates } = await given.described(location)
  const rows = new Map((await given.symbols()).map((symbol) => [symbol.id, symbol]))
  if (chosen) {
    const symbol = rows.get(chosen.symbol ?? Number.NaN)
    const place = symbol ? symbolPlace(text, symbol) : linesPlace(text, chosen.startLine, chosen.endLine)
    const what = symbol ? `the ${symbol.kind} ${symbol.qualified}` : 'a block'
    return { place, how: `by description, ${what}, score ${chosen.score.toFixed(2)}` }
  }
  const lines = candidates.map(({ startLine, endLine, symbol: id, score }) => {
    const symbol = rows.get(id ?? Number.NaN)
    const what = symbol ? `${symbol.kind} ${symbol.qualified}` : lineAt(text, startLine)
    return `${path}:${startLine}-${endLine}: ${what} (score ${score.toFixed(2)})`
  })
  if (lines.length > 0) throw ambiguous(`No place of "${path}" is clearly the one that location describes, so nothing was changed`, lines)
  throw new ToolError(
    'no_match',
    `location is no text of "${path}", no symbol's name, and nothing in the file answers it as a description.`,
    'Read the file, then use line numbers or a text as it stands there.',
  )
}

function ambiguous(what: string, lines: readonly string[], total = lines.length): ToolError {
  const more = total > candidatesShown ? `\n… and ${total - candidatesShown} more` : ''
  return new ToolError(
    'ambiguous_match',
    `${what}:\n${lines.slice(0, candidatesShown).join('\n')}${more}`,
    'Repeat with line numbers ("lines 12-20"), a longer text, or the qualified name of the one you mean.',
  )
}

function symbolLine(path: string, symbol: SymbolRow): string {
  return `${path}:${symbol.line}-${symbol.end_line}: ${symbol.kind} ${symbol.qualified}: ${symbol.signature.slice(0, 120)}`
}

function definitions(symbols: readonly SymbolRow[]): SymbolRow[] {
  return symbols.filter(({ kind }) => kind !== 'import' && kind !== 'export')
}

function symbolPlace(text: string, symbol: SymbolRow): EditPlace {
  return definitionPlace(text, { line: symbol.line, column: symbol.column, endLine: symbol.end_line, endColumn: symbol.end_column })
}

function lineAt(text: string, line: number): string {
  return (text.split('\n', line)[line - 1] ?? '').trim().slice(0, 160)
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
