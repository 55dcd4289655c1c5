import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/plural.ts'
import { apply, call, negated, type Value } from './exactArithmetic.ts'
import { tokenise, type Token } from './expressionTokens.ts'
import { constants, functions } from './mathFunctions.ts'

// A Pratt parser for numbers. Considered libraries: mathjs adds matrices, units and symbols, megabytes, and unbounded
// operations; expr-eval evaluates property access (CVE-2025-12735) and is unmaintained. Here, expressions can use only
// the names in two tables, and the work is bounded by the length of the text.

const maxLength = 5_000
const maxDepth = 100

/** Precedence of an operator. Only `^` is right-associative. */
const binding: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4, '!': 5 }
const unaryBinding = 3

/**
 * Evaluates an arithmetic expression: `+ - * / % ^ ** !`, parentheses, functions and constants; `-2^2` is -4, `2^3^2`
 * is 512. Integers are exact up to 1,000 digits. `%` between two numbers is the remainder with the sign of the
 * dividend; after a number it is percent, so `15%` is 0.15. `1,000` is a thousand. Linear in the length of the text,
 * except for large integers.
 * @throws ToolError invalid_arguments with the column for invalid or ambiguous text (`1,5`, `200 + 10%`, `7%-3`),
 *   out_of_range if there is no real, finite value
 */
export function evaluate(expression: string): Value {
  if (expression.length > maxLength)
    throw invalid(`The expression has ${plural(expression.length, 'character')}; the maximum is ${maxLength}.`)
  const tokens = tokenise(expression)
  let at = 0
  let depth = 0
  /** The last value is a standalone percentage, as in `10%`. */
  let bare = false
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

  function value(minimum: number): Value {
    depth += 1
    if (depth > maxDepth) throw invalid(`The expression is nested more than ${maxDepth} levels deep.`)
    let left = operand()
    for (;;) {
      const token = peek()
      const power = token.kind === 'sign' ? binding[token.text] : undefined
      if (token.kind !== 'sign' || power === undefined || power < minimum) break
      at += 1
      if (token.text === '!') {
        left = call('factorial', [left], `${left}!`)
        bare = false
      } else {
        const percentage = bare
        const right = value(token.text === '^' ? unaryBinding : power + 1)
        // For 1 both meanings of a percentage are equal.
        if (bare && !percentage && left !== 1n && (token.text === '+' || token.text === '-'))
          throw relativePercent(token)
        left = apply(token.text, left, right)
        bare = bare && percentage
      }
    }
    depth -= 1
    return left
  }

  function operand(): Value {
    const inner = plainOperand()
    const percent = peek()
    if (percent.kind !== 'percent') return inner
    at += 1
    bare = true
    return apply('/', inner, 100n)
  }

  function plainOperand(): Value {
    const token = take()
    bare = false
    if (token.kind === 'number') return token.value
    if (token.kind === 'name') return named(token.text, token.at)
    if (token.kind === 'sign' && token.text === '(') {
      const inner = value(0)
      bare = false
      expectSign(')')
      return inner
    }
    if (token.kind === 'sign' && (token.text === '-' || token.text === '+')) {
      const inner = value(unaryBinding)
      return token.text === '-' ? negated(inner) : inner
    }
    throw unexpected(token, 'a number, a name or "("')
  }

  function named(text: string, column: number): Value {
    const name = text.toLowerCase()
    const known = functions.get(name)
    if (!takeSign('(')) {
      const constant = constants.get(name)
      if (constant !== undefined) return constant
      if (known) throw invalid(`"${text}" (column ${column + 1}) is a function and needs arguments in parentheses.`)
      throw invalid(`"${text}" (column ${column + 1}) is neither a function nor a constant.`)
    }
    if (!known) throw invalid(`"${text}" (column ${column + 1}) is not a function.`)
    const given: Value[] = []
    if (!takeSign(')')) {
      do given.push(value(0))
      while (takeSign(','))
      expectSign(')')
      bare = false
    }
    if (given.length < known.least || given.length > known.most) {
      const wanted =
        known.least === known.most
          ? `${known.least}`
          : known.most === Infinity
            ? `${known.least} or more`
            : `${known.least} to ${known.most}`
      throw invalid(
        `${name} takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, but has ${given.length} (column ${column + 1}).`,
      )
    }
    return call(name, given, `${name}(${given.join(', ')})`)
  }

  const result = value(0)
  if (peek().kind !== 'end') throw unexpected(peek(), 'an operator or the end')
  return result
}

function relativePercent(token: Token): ToolError {
  return invalid(
    `A percentage after "${token.kind === 'number' ? '' : token.text}" (column ${token.at + 1}) is ambiguous: a share of the left side, or of 1.`,
    'Write 200 * (1 + 10%) for a share of 200, or 200 + 0.1.',
  )
}

function unexpected(token: Token, wanted: string): ToolError {
  const found =
    token.kind === 'end'
      ? 'the expression ends'
      : token.kind === 'number'
        ? `${token.value} was found`
        : `"${token.text}" was found`
  return invalid(
    `${wanted[0]?.toUpperCase() ?? ''}${wanted.slice(1)} is expected where ${found} (column ${token.at + 1}).`,
  )
}

function invalid(message: string, next?: string): ToolError {
  return new ToolError(
    'invalid_arguments',
    message,
    next ??
      `Operators: + - * / % ^ !. Functions: ${[...functions.keys()].join(', ')}. Constants: ${[...constants.keys()].join(', ')}. For example: sqrt(144) + 3 * 7`,
  )
}
