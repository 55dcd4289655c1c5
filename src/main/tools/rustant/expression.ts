import { ToolError } from '../../../shared/errors.ts'
import { constants, functions } from './mathFunctions.ts'

// A Pratt parser over numbers only. Libraries were weighed: mathjs brings matrices, units and symbols, megabytes and its own ways to run
// without bound; expr-eval evaluates property access (CVE-2025-12735) and is no longer kept. Here nothing can be named but what
// stands in the two tables, and the work is one step for each sign of a bounded text.

const maxLength = 5_000
const maxDepth = 100

type Token = { kind: 'number'; value: number; at: number } | { kind: 'name' | 'sign' | 'end'; text: string; at: number }

/** How tightly an operator binds its left operand; `^` alone binds to the right. */
const binding: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4, '!': 5 }
const unaryBinding = 3

/**
 * The value of an arithmetic expression: `+ - * / % ^ ** !`, parentheses, functions and constants; `%` is the remainder with the sign of
 * the dividend, `-2^2` is -4, `2^3^2` is 512. Linear in the length of the text.
 * Throws `invalid_arguments`, naming the column, and `out_of_range` where there is no real, finite value.
 */
export function evaluate(expression: string): number {
  if (expression.length > maxLength) throw invalid(`The expression has ${expression.length} characters; ${maxLength} are the most.`)
  const tokens = tokenise(expression)
  let at = 0
  let depth = 0
  const peek = (): Token => tokens[at] ?? { kind: 'end', text: '', at: expression.length }
  const take = (): Token => {
    const token = peek()
    at += 1
    return token
  }
  const takeSign = (text: string): boolean => {
    const token = peek()
    if (token.kind !== 'sign' || token.text !== text) return false
    at += 1
    return true
  }
  const expectSign = (text: string): void => {
    if (!takeSign(text)) throw unexpected(peek(), `"${text}"`)
  }

  function value(minimum: number): number {
    depth += 1
    if (depth > maxDepth) throw invalid(`The expression is nested more than ${maxDepth} levels deep.`)
    let left = operand()
    for (;;) {
      const token = peek()
      const power = token.kind === 'sign' ? binding[token.text] : undefined
      if (token.kind !== 'sign' || power === undefined || power < minimum) break
      at += 1
      if (token.text === '!') left = checked(functions.get('factorial')?.run([left]) ?? Number.NaN, `${left}!`)
      else left = apply(token.text, left, value(token.text === '^' ? unaryBinding : power + 1))
    }
    depth -= 1
    return left
  }

  function operand(): number {
    const token = take()
    if (token.kind === 'number') return token.value
    if (token.kind === 'name') return named(token.text, token.at)
    if (token.kind === 'sign' && token.text === '(') {
      const inner = value(0)
      expectSign(')')
      return inner
    }
    if (token.kind === 'sign' && (token.text === '-' || token.text === '+')) {
      const inner = value(unaryBinding)
      return token.text === '-' ? -inner : inner
    }
    throw unexpected(token, 'a number, a name or "("')
  }

  function named(text: string, column: number): number {
    const name = text.toLowerCase()
    const known = functions.get(name)
    if (!takeSign('(')) {
      const constant = constants.get(name)
      if (constant !== undefined) return constant
      if (known) throw invalid(`"${text}" (column ${column + 1}) is a function and needs its arguments in parentheses.`)
      throw invalid(`"${text}" (column ${column + 1}) is neither a function nor a constant.`)
    }
    if (!known) throw invalid(`"${text}" (column ${column + 1}) is no function.`)
    const given: number[] = []
    if (!takeSign(')')) {
      do given.push(value(0))
      while (takeSign(','))
      expectSign(')')
    }
    if (given.length < known.least || given.length > known.most) {
      const wanted = known.least === known.most ? `${known.least}` : known.most === Infinity ? `${known.least} or more` : `${known.least} to ${known.most}`
      throw invalid(`${name} takes ${wanted} arguments, but has ${given.length} (column ${column + 1}).`)
    }
    return checked(known.run(given), `${name}(${given.join(', ')})`)
  }

  const result = value(0)
  if (peek().kind !== 'end') throw unexpected(peek(), 'an operator or the end')
  return result
}

function apply(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+': return checked(left + right, `${left} + ${right}`)
    case '-': return checked(left - right, `${left} - ${right}`)
    case '*': return checked(left * right, `${left} * ${right}`)
    case '/': return checked(right === 0 ? Number.NaN : left / right, `${left} / ${right}`)
    case '%': return checked(left % right, `${left} % ${right}`)
    default: return checked(left ** right, `${left} ^ ${right}`)
  }
}

function checked(value: number, of: string): number {
  if (Number.isFinite(value)) return value
  const why = Number.isNaN(value) ? 'has no real value' : 'is too large'
  throw new ToolError('out_of_range', `${of} ${why}.`, 'Change the expression, or calculate with a command if larger numbers are needed.')
}

function tokenise(expression: string): Token[] {
  const pattern = /\s+|(0[xX][\da-fA-F]+|0[bB][01]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\d_]*)|(\*\*|[-+*/%^!(),×÷−·])/uy
  const tokens: Token[] = []
  for (let at = 0; at < expression.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(expression)
    if (!found) throw invalid(`"${String.fromCodePoint(expression.codePointAt(at) ?? 0)}" (column ${at + 1}) does not belong into an expression.`)
    const [, number, name, sign] = found
    if (number !== undefined) tokens.push({ kind: 'number', value: numberOf(number, at), at })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: plainSigns.get(sign) ?? sign, at })
  }
  return tokens
}

const plainSigns: ReadonlyMap<string, string> = new Map([['**', '^'], ['×', '*'], ['·', '*'], ['÷', '/'], ['−', '-']])

function numberOf(text: string, at: number): number {
  const value = Number(text.replaceAll('_', ''))
  if (!Number.isFinite(value)) throw invalid(`${text.slice(0, 40)} (column ${at + 1}) is too large a number.`)
  return value
}

function unexpected(token: Token, wanted: string): ToolError {
  const found = token.kind === 'end' ? 'the expression ends' : token.kind === 'number' ? `${token.value} stands` : `"${token.text}" stands`
  return invalid(`${wanted[0]?.toUpperCase() ?? ''}${wanted.slice(1)} is expected where ${found} (column ${token.at + 1}).`)
}

function invalid(message: string): ToolError {
  return new ToolError('invalid_arguments', message,
    `Operators: + - * / % ^ !. Functions: ${[...functions.keys()].join(', ')}. Constants: ${[...constants.keys()].join(', ')}. For example: sqrt(144) + 3 * 7`)
}
