import { wholeLinesRange, type EditRange } from './editRange.ts'

/** Lines and columns of a definition, 1-based. The end column is exclusive. */
export interface DefinitionRange {
  line: number
  column: number
  endLine: number
  endColumn: number
  nameLine: number
}

/** A comment, decorator or attribute on a separate line. */
const leadingLine =
  /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|ifdef|ifndef|else|endif|pragma)\b)|--|;;|@[\w(]|\[\w.*\]$)/
const attributeStart = /^\s*(?:@[\w(]|#!?\[|\[\w)/
/** Maximum lines of a decorator. */
const maxAttributeLines = 60

const visibility = 'export|default|declare|public|private|protected|internal|fileprivate|pub(?:\\([^)]*\\))?'
const modifier =
  `(?:${visibility}|static|async|unsafe|extern(?:\\s+"[^"]*")?|abstract|final|override|virtual|inline|constexpr|readonly|sealed|partial|suspend|open` +
  '|const|let|var|@[\\w.]+(?:\\([^()]*\\))?)'
const modifiers = new RegExp(`^\\s*(?:${modifier}\\s+)*$`)
const visibilityWords = new RegExp(`^(?:(?:${visibility})\\s+)+`)
const decorators = /^(?:@[\w.]+(?:\([^()]*\))?\s+)*/
const declarators: readonly string[] = ['const', 'let', 'var']

/** Whether a text consists only of modifiers and decorators that can precede a definition on its line. */
export function isModifiers(text: string): boolean {
  return modifiers.test(text)
}

/** Whether a line is a comment, decorator or attribute. */
export function isLeadingLine(line: string): boolean {
  return leadingLine.test(line)
}

/**
 * Returns the range of a definition. Decorators, attributes and comments above it start at `leadLine` and are outside
 * the range, so a replacement keeps them unless it has its own.
 */
export function definitionEditRange(text: string, range: DefinitionRange): EditRange {
  const lines = text.split('\n')
  const whole = wholeLinesRange(text, range.line, range.endLine)
  const last = lines[range.endLine - 1]?.length ?? 0
  const end = whole.end - last + Math.min(range.endColumn - 1, last)
  const first = firstHeaderLine(lines, range.line, range.nameLine)
  const start = first === range.line ? whole.start + range.column - 1 : startOfText(text, first)
  return { start, end, startLine: first, endLine: range.endLine, leadLine: leadLineOf(lines, first) }
}

/**
 * Returns the range without leading `export`, `pub`, `public` …, which a replacement keeps unless it has its own
 * modifiers.
 */
export function withoutVisibility(text: string, place: EditRange): EditRange {
  const words = visibilityWords.exec(text.slice(place.start, place.end))?.[0] ?? ''
  return words.includes('\n') ? place : { ...place, start: place.start + words.length }
}

/**
 * Returns the modifiers to keep before a new definition: `export const` before `limit = 2`, `export` before `const
 * limit = 2`, none before `export …` or another visibility. Decorators are kept.
 */
export function modifiersToKeep(prefix: string, content: string): string {
  const attributes = decorators.exec(prefix)?.[0].trim() ?? ''
  const rest = prefix.slice(attributes.length).trim()
  const words = rest === '' ? [] : rest.split(/\s+/)
  const firstWord = /^\s*(\S+)/.exec(content)?.[1] ?? ''
  return [attributes, ...wordsToKeep(words, firstWord)].filter(Boolean).join(' ')
}

/** @param firstWord first word of the new definition */
function wordsToKeep(words: readonly string[], firstWord: string): readonly string[] {
  const at = words.indexOf(firstWord)
  if (at >= 0) return words.slice(0, at)
  if (declarators.includes(firstWord)) return words.filter((one) => !declarators.includes(one))
  return visibilityWords.test(`${firstWord} `) ? [] : words
}

function startOfText(text: string, line: number): number {
  const { start, end } = wholeLinesRange(text, line, line)
  const code = text.slice(start, end)
  return start + code.length - code.trimStart().length
}

/** Returns the first line of a definition after the attributes that its range includes. */
function firstHeaderLine(lines: readonly string[], line: number, nameLine: number): number {
  for (let first = line; first < nameLine;) {
    const end = attributeEnd(lines, first)
    if (end === undefined || end >= nameLine) return first
    first = end + 1
    if (first === nameLine || !attributeStart.test(lines[first - 1] ?? '')) return first
  }
  return line
}

/** Returns the last line of an attribute that starts on a line and fills whole lines. */
function attributeEnd(lines: readonly string[], line: number): number | undefined {
  if (!attributeStart.test(lines[line - 1] ?? '')) return undefined
  let depth = 0
  for (let at = line; at < line + maxAttributeLines && at <= lines.length; at += 1) {
    depth += bracketBalance(lines[at - 1] ?? '')
    if (depth <= 0) return /[)\]\w]\s*$/.test(lines[at - 1] ?? '') ? at : undefined
  }
  return undefined
}

function leadLineOf(lines: readonly string[], first: number): number {
  let lead = first
  while (lead > 1) {
    const above = lines[lead - 2] ?? ''
    const next = isLeadingLine(above) ? lead - 1 : /[)\]]\s*$/.test(above) ? attributeAbove(lines, lead - 1) : undefined
    if (next === undefined) break
    lead = next
  }
  return lead
}

/** Returns the first line of a multi-line decorator that ends on a line. */
function attributeAbove(lines: readonly string[], last: number): number | undefined {
  let depth = 0
  for (let at = last; at >= 1 && at > last - maxAttributeLines; at -= 1) {
    depth += bracketBalance(lines[at - 1] ?? '')
    if (depth >= 0) return depth === 0 && attributeStart.test(lines[at - 1] ?? '') ? at : undefined
  }
  return undefined
}

/** Removes quoted strings from a line. Linear: if a quote is unclosed, no later quote of its kind is closed either. */
function withoutStrings(line: string): string {
  const quotes = new Set(['"', "'"])
  let code = ''
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at)
    const end = quotes.has(character) ? closingQuote(line, at) : undefined
    if (end !== undefined) at = end
    else {
      quotes.delete(character)
      code += character
    }
  }
  return code
}

function closingQuote(line: string, from: number): number | undefined {
  for (let at = from + 1; at < line.length; at += line[at] === '\\' ? 2 : 1) {
    if (line[at] === line[from]) return at
  }
  return undefined
}

/** Returns the number of opening minus closing brackets outside quotes. */
export function bracketBalance(line: string): number {
  const code = withoutStrings(line)
  return (code.match(/[([{]/g)?.length ?? 0) - (code.match(/[)\]}]/g)?.length ?? 0)
}
