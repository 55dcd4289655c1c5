import { ToolError } from '../../../shared/errors.ts'
import type { Value } from './exactArithmetic.ts'
import { functions } from './mathFunctions.ts'

/** A token of an expression. `at` is its 0-based position. */
export type Token =
  | { kind: 'number'; value: Value; at: number }
  | { kind: 'name' | 'sign' | 'percent' | 'end'; text: string; at: number }

const pattern =
  /\s+|(0[xX][\da-fA-F]+|0[bB][01]+|(?:\d[\d_]*(?:,\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\d_]*)|(\*\*|[-+*/%^!(),×÷−·])/uy
const plainSigns: ReadonlyMap<string, string> = new Map([
  ['**', '^'],
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
])
const thousands = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/

/**
 * Splits an expression into tokens. A comma in a number groups thousands outside argument lists (`1,000`). `%` without
 * a following operand is a percent sign.
 * @throws ToolError invalid_arguments with the column for unknown characters and ambiguous text
 */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = []
  /** The function of each open parenthesis, or '' for grouping. */
  const open: string[] = []
  for (let at = 0; at < expression.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(expression)
    if (!found)
      throw invalid(
        `"${String.fromCodePoint(expression.codePointAt(at) ?? 0)}" (column ${at + 1}) is not allowed in an expression.`,
      )
    const [, number, name, sign] = found
    if (number !== undefined) {
      const text = ungrouped(number, at, open.at(-1) ?? '')
      pattern.lastIndex = at + text.length
      tokens.push({ kind: 'number', value: numberOf(text, at), at })
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name, at })
    else if (sign === '%' && isPercent(expression, at)) tokens.push({ kind: 'percent', text: '%', at })
    else if (sign !== undefined) {
      const before = tokens.at(-1)
      if (sign === '(') open.push(before?.kind === 'name' ? before.text.toLowerCase() : '')
      if (sign === ')') open.pop()
      tokens.push({ kind: 'sign', text: plainSigns.get(sign) ?? sign, at })
    }
  }
  return tokens
}

/** Returns a number including commas that group thousands, otherwise up to the first comma. */
function ungrouped(number: string, at: number, name: string): string {
  if (!number.includes(',')) return number
  const first = number.slice(0, number.indexOf(','))
  const known = functions.get(name)
  // A function with two or more required arguments needs the comma as a separator.
  if (known && known.minArguments > 1 && known.maxArguments < Infinity) return first
  const groups = thousands.test(number)
  if (!known || known.maxArguments === 1) {
    if (groups) return number
    throw ambiguous(
      number,
      at,
      'Write a decimal point (1.5), and thousands in groups of three (1,000) or without commas.',
    )
  }
  if (groups)
    throw ambiguous(number, at, 'Put a space after a comma between arguments, and write numbers without commas.')
  return first
}

/**
 * Returns whether no divisor follows.
 * @throws ToolError invalid_arguments if the sign that follows can belong to either side
 */
function isPercent(expression: string, at: number): boolean {
  const behind = expression.slice(at + 1)
  const next = behind.trimStart()[0] ?? ''
  if (next === '' || /[*/^!),×÷·%]/.test(next)) return true
  if (!/[-+−]/.test(next)) return false
  const spaceBefore = /\s/.test(expression[at - 1] ?? '')
  const spaceBehind = /^\s/.test(behind)
  if (spaceBefore !== spaceBehind) return spaceBehind
  const spaceBehindSign = /^\s*[-+−]\s/.test(behind)
  if (spaceBefore && !spaceBehindSign) return false
  throw ambiguous('%', at, 'Write mod(7, -3) for a remainder, and (7%) - 3 for a percentage.')
}

function numberOf(text: string, at: number): Value {
  const plain = text.replaceAll(/[_,]/g, '')
  if (/^(?:\d+|0[xXbB][\da-fA-F]+)$/.test(plain) && plain.length <= 1_000) return BigInt(plain)
  const value = Number(plain)
  if (!Number.isFinite(value)) throw invalid(`${text.slice(0, 40)} (column ${at + 1}) is too large.`)
  return /[eE]/.test(plain) && !/^0[xX]/.test(plain) && Number.isSafeInteger(value) ? BigInt(value) : value
}

function ambiguous(text: string, at: number, next: string): ToolError {
  return new ToolError('invalid_arguments', `"${text.slice(0, 40)}" (column ${at + 1}) is ambiguous.`, next)
}

function invalid(message: string): ToolError {
  return new ToolError(
    'invalid_arguments',
    message,
    'Use numbers, + - * / % ^ !, parentheses and functions. For example: sqrt(144) + 3 * 7',
  )
}
