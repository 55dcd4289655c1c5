import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { DescriptionMatch, SymbolRow } from '../../code/codeIndex.ts'
import { wholeLinesRange, type EditRange } from '../../edit/editRange.ts'
import type { EditOperation } from '../../edit/editOperations.ts'
import { findMatches, type MatchedRange, type TextMatches } from '../../edit/tolerantMatching.ts'
import { looksLikeCode } from '../../code/describe/codeLocation.ts'
import { inFormOf } from '../../edit/characterForms.ts'
import { describeMatchStage } from '../../edit/locateEdit.ts'
import { bodyRange, fileBoundary, importsRange, namesImports, ownerOfBody } from './namedRanges.ts'
import { headerMatch, symbolRange, type HeaderMatch } from './headerMatch.ts'

/** The range for a `location`, and how it was found. */
export interface SmartTarget {
  range: EditRange
  how: string
  /** The range was found by description, not by text, name or line number. */
  described?: true
  /** The text is in the header of a definition, so the location can mean either. */
  header?: HeaderMatch
  /** Number of occurrences of the text. Absent if the range was not found as text. */
  count?: number
}

/** A location in a file to find, with access to the symbols of the file. */
export interface SmartLocation {
  path: string
  text: string
  location: string
  operation: EditOperation
  /** Symbols of the current text. */
  symbols(): Promise<SymbolRow[]>
  /** Finds the range for a description. */
  described(description: string): Promise<DescriptionMatch>
}

const lineNumbers =
  /^(?:(?:at|on|in|from|the) )*(?:l|lines?)?[ :#]*(\d+)(?:\s*(?:-|–|\.\.|to|and|through)\s*(?:lines? ?)?l?(\d+))?(?: (?:in|of) (?:the|this) file)?[.:]?$/i
const name = /^[\w$]+(?:(?:\.|::|#)[\w$]+)*(?:\(\))?$/
const kindWord =
  '(?:function|method|fn|func|def|class|struct|interface|trait|enum|type|constant|const|variable|let|var|property|field|module|namespace|impl)'
/** A name with its kind or an article. */
const kindAndName = new RegExp(
  `^(?:the )?(?:${kindWord} (?:named |called )?)?([\\w$.:#]+(?:\\(\\))?)(?: ${kindWord}| definition)?$`,
  'i',
)
/** Symbol kinds to which a leading keyword restricts the match. Other words, such as "function", restrict nothing. */
const declaredKinds: readonly (readonly [keywords: RegExp, kinds: readonly SymbolRow['kind'][]])[] = [
  [/^(?:fn|func|def) /, ['function', 'method']],
  [/^(?:let|var|const) /, ['variable', 'constant', 'property', 'enum_member']],
  [/^(?:class|struct|interface|trait|enum|impl) /, ['class', 'struct', 'interface', 'trait', 'enum', 'impl', 'type']],
]
/** Words before a location that repeat the operation. */
const operationPrefixes: Readonly<Partial<Record<EditOperation, RegExp>>> = {
  insert_after: /^(?:just |right |directly )?(?:after|below|behind) /i,
  insert_before: /^(?:just |right |directly )?(?:before|above) /i,
}
const maxCandidates = 12
/** Maximum number of occurrences to compare with headers of definitions. */
const maxHeaderPlaces = 200
/** Maximum length in UTF-16 units for descriptions, as for symbols. */
const maxRankedLength = 1_000_000

/**
 * Finds the single range that matches a location: line numbers, a name, text from the file, or a description.
 * @throws ToolError invalid_arguments, out_of_range, too_large (a description in a very long file), no_match,
 *   ambiguous_match with the candidates
 */
export async function findSmartTarget(query: SmartLocation): Promise<SmartTarget> {
  const [location = ''] = inFormOf(query.text, [query.location.replaceAll('\r\n', '\n')])
  if (location.trim() === '') {
    throw new ToolError(
      'invalid_arguments',
      '`location` is empty.',
      'Pass text of the file, "line 12", "lines 12-20", the name of a symbol, or a description.',
    )
  }
  const numbers = lineNumbers.exec(location.trim())
  if (numbers) return byLines(query, Number(numbers[1]), Number(numbers[2] ?? numbers[1]))
  const fixed = await byFixedName(query, location.trim())
  if (fixed) return fixed
  if (name.test(location.trim())) {
    const found = await byName(query, location.trim())
    if (found) return found
  }
  const exact = findWholeWords(query.text, location)
  if (exact) return byText(query, exact.places, describeMatchStage(exact.stage), exact.more)
  return byWords(query, location.trim())
}

/** Finds the text. Does not match inside words: `x = 1` does not match `max = 10`. */
function findWholeWords(text: string, location: string): TextMatches | null {
  const found = findMatches(text, location)
  if (found === null || !looksLikeCode(location)) return found
  const splitsWord = (at: number) => /[\w$]/.test(text[at - 1] ?? '') && /[\w$]/.test(text[at] ?? '')
  const places = found.places.filter(({ start, end }) => !splitsWord(start) && !splitsWord(end))
  return places.length > 0 ? { ...found, places } : null
}

/** Resolves ranges that every file has: "end of file", "the imports". */
async function byFixedName(query: SmartLocation, location: string): Promise<SmartTarget | undefined> {
  const { text, operation } = query
  const point = fileBoundary(text, location, operation)
  if (point)
    return {
      range: point,
      how:
        point.endLine === 0 || point.start === 0
          ? 'The location is the start of the file.'
          : 'The location is the end of the file.',
    }
  if (!namesImports(location) || text.length > maxRankedLength) return undefined
  const range = importsRange(text, await query.symbols())
  return range && { range, how: 'The location matches the imports.', described: true }
}

/**
 * Resolves a location that does not appear in the file's text: a name with extra words, the body of a definition, or a
 * description.
 */
async function byWords(query: SmartLocation, location: string): Promise<SmartTarget> {
  const beside = operationPrefixes[query.operation]
  if (beside?.test(location)) return findSmartTarget({ ...query, location: location.replace(beside, '') })
  if (query.text.length > maxRankedLength) return byDescription(query, location)
  const named = kindAndName.exec(location)?.[1]
  const found = named === undefined ? undefined : await byName(query, named, kindsOf(location))
  if (found) return found
  const owner = ownerOfBody(location)
  return owner === undefined || looksLikeCode(location) ? byDescription(query, location) : byBody(query, owner)
}

/** Returns the kinds that a location such as "let total" can mean; undefined if it starts with no keyword. */
function kindsOf(location: string): readonly SymbolRow['kind'][] | undefined {
  return declaredKinds.find(([keywords]) => keywords.test(location))?.[1]
}

async function byBody(query: SmartLocation, owner: string): Promise<SmartTarget> {
  const named = kindAndName.exec(owner)?.[1]
  const [only, ...others] = named === undefined ? [] : await symbolsNamed(query, named)
  const symbol =
    only && others.length === 0 ? only : (await byDescription({ ...query, operation: 'delete' }, owner)).symbol
  if (!symbol) {
    throw new ToolError(
      'no_match',
      `No definition in "${query.path}" clearly matches "${owner}", so its body cannot be edited.`,
      'Pass the name of the definition, or line numbers.',
    )
  }
  return {
    range: bodyRange(query.text, query.path, symbol),
    how: `The location matches the body of the ${symbol.kind} ${symbol.qualified}.`,
    described: true,
  }
}

function byLines({ text, path }: SmartLocation, first: number, last: number): SmartTarget {
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (first > last)
    throw new ToolError('invalid_arguments', `Line ${first} is after line ${last}.`, 'Pass the smaller number first.')
  if (first < 1 || last > count) {
    throw new ToolError(
      'out_of_range',
      `"${path}" has ${plural(count, 'line')}, so line ${first < 1 ? first : last} does not exist.`,
      'Read the file and use an existing line.',
    )
  }
  return { range: wholeLinesRange(text, first, last), how: 'The location gives line numbers.' }
}

/** Resolves a symbol name. Undefined if no symbol has it. */
async function byName(
  query: SmartLocation,
  location: string,
  kinds?: readonly SymbolRow['kind'][],
): Promise<SmartTarget | undefined> {
  const { text, path, operation } = query
  const found = (await symbolsNamed(query, location)).filter(({ kind }) => kinds?.includes(kind) ?? true)
  const [only] = found
  if (!only) return undefined
  if (found.length > 1) {
    const lines = found.map((symbol) => symbolLine(path, symbol))
    throw ambiguous(`${plural(found.length, 'symbol')} in "${path}" have the name "${location}"`, lines)
  }
  return { range: symbolRange(text, only, operation), how: `The location matches the ${only.kind} ${only.qualified}.` }
}

async function symbolsNamed({ symbols }: SmartLocation, location: string): Promise<SymbolRow[]> {
  const wanted = location.replace(/\(\)$/, '').replaceAll(/::|#/g, '.')
  return definitions(await symbols()).filter(
    ({ name, qualified }) => name === wanted || qualified === wanted || qualified.endsWith(`.${wanted}`),
  )
}

async function byText(
  query: SmartLocation,
  places: readonly MatchedRange[],
  stage: string,
  more: boolean,
): Promise<SmartTarget> {
  const { text, path, operation } = query
  const symbols = text.length > maxRankedLength ? [] : definitions(await query.symbols())
  const headers = places
    .slice(0, maxHeaderPlaces)
    .flatMap((range) => symbols.flatMap((symbol) => headerMatch(text, range, symbol, operation) ?? []))
  const [header] = headers
  // An occurrence in the header of a definition has priority: others only mention the name.
  if (header && headers.length === 1) {
    const { kind, qualified } = header.symbol
    const how = `The location is in the header of the ${kind} ${qualified}.`
    return { range: header.whole, how, header, count: places.length }
  }
  const [only] = places
  if (!only || places.length > 1) {
    const count = more ? `more than ${places.length}` : String(places.length)
    const lines = places
      .slice(0, maxCandidates)
      .map((range) => `${path}:${range.startLine}: ${lineAt(text, range.startLine)}`)
    throw ambiguous(`\`location\` occurs ${count} times in "${path}"`, lines, places.length)
  }
  return { range: { ...only, leadLine: only.startLine }, how: `The location matches text of the file (${stage}).` }
}

async function byDescription(query: SmartLocation, location: string): Promise<SmartTarget & { symbol?: SymbolRow }> {
  const { text, path, operation } = query
  if (text.length > maxRankedLength) {
    throw new ToolError(
      'too_large',
      `"${path}" is too long to search for a description, and does not contain \`location\`.`,
      'Use line numbers, or exact text of the file.',
    )
  }
  const { chosen, candidates, lines: bestLines, isCode } = await query.described(location)
  if (isCode) return byAlikeLines(query, chosen, bestLines)
  const rows = new Map((await query.symbols()).map((symbol) => [symbol.id, symbol]))
  if (chosen) {
    const symbol = rows.get(chosen.symbol ?? Number.NaN)
    const range = symbol
      ? symbolRange(text, symbol, operation)
      : wholeLinesRange(text, chosen.startLine, chosen.endLine)
    const what = symbol ? `the ${symbol.kind} ${symbol.qualified}` : 'a block'
    return {
      range,
      how: `The location describes ${what} (score ${formatNumber(chosen.score, 2)}).`,
      described: true,
      symbol,
    }
  }
  if (bestLines.length > 0) {
    const shown = bestLines.map(({ line, text: code }) => `${path}:${line}: ${code}`)
    throw ambiguous(
      `\`location\` describes a part of a definition. Edit not applied. Best matching lines of "${path}"`,
      shown,
    )
  }
  const lines = candidates.map(({ startLine, endLine, symbol: id, score }) => {
    const symbol = rows.get(id ?? Number.NaN)
    const what = symbol ? `${symbol.kind} ${symbol.qualified}` : lineAt(text, startLine)
    return `${path}:${startLine}-${endLine}: ${what} (score ${formatNumber(score, 2)})`
  })
  if (lines.length > 0)
    throw ambiguous(
      `Nothing in "${path}" clearly matches the description in \`location\`. Edit not applied. Candidates`,
      lines,
    )
  throw new ToolError(
    'no_match',
    `\`location\` matches no text, symbol name or description in "${path}".`,
    'Read the file, then use line numbers or exact text.',
  )
}

/**
 * Resolves code to the lines that are almost equal. Skips headers of definitions, because a similar name is a different
 * definition.
 */
async function byAlikeLines(
  { text, path, symbols }: SmartLocation,
  chosen: DescriptionMatch['chosen'],
  nearest: DescriptionMatch['lines'],
): Promise<SmartTarget> {
  const startsDefinition = (symbol: SymbolRow) =>
    symbol.name_line === chosen?.startLine && symbol.end_line > symbol.name_line
  if (chosen && !definitions(await symbols()).some(startsDefinition)) {
    const { startLine, endLine, score } = chosen
    const how = `The location is ${Math.floor(score * 100)} % similar to text of the file.`
    return { range: wholeLinesRange(text, startLine, endLine), how, described: true }
  }
  const lines = nearest.map(({ line, text: code }) => `${path}:${line}: ${code}`)
  throw new ToolError(
    'no_match',
    `\`location\` is code that "${path}" does not contain. Edit not applied. ${lines.length > 0 ? `Most similar lines:\n${lines.join('\n')}` : 'The file has no similar lines.'}`,
    'Retry with the exact text of one of these lines, "line 12", or the name of a definition.',
  )
}

function ambiguous(what: string, lines: readonly string[], total = lines.length): ToolError {
  const more = total > maxCandidates ? `\n… and ${total - maxCandidates} more` : ''
  return new ToolError(
    'ambiguous_match',
    `${what}:\n${lines.slice(0, maxCandidates).join('\n')}${more}`,
    'Retry with line numbers ("lines 12-20"), a longer text, or a qualified name.',
  )
}

function symbolLine(path: string, symbol: SymbolRow): string {
  return `${path}:${symbol.line}-${symbol.end_line}: ${symbol.kind} ${symbol.qualified}: ${symbol.signature.slice(0, 120)}`
}

function definitions(symbols: readonly SymbolRow[]): SymbolRow[] {
  return symbols.filter(({ kind }) => kind !== 'import' && kind !== 'export')
}

function lineAt(text: string, line: number): string {
  return (text.split('\n', line)[line - 1] ?? '').trim().slice(0, 160)
}
