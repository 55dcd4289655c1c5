import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { applyOperator, callFunction, negate, type Value } from './exactArithmetic.ts'
import { tokenize, type Token } from './expressionTokens.ts'
import { constants, functions, type MathFunction } from './mathFunctions.ts'

// A Pratt parser for numbers. Considered libraries: mathjs adds matrices, units and symbols, megabytes, and unbounded
// operations; expr-eval evaluates property access (CVE-2025-12735) and is unmaintained. Here, expressions can use only
// the names in two tables, and the work is bounded by the length of the text.

const maxLength = 5_000
const maxDepth = 100

/** Precedence of an operator. Only `^` is right-associative. */
const precedence: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4, '!': 5 }
const unaryPrecedence = 3

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
    throw invalid(`The expression is ${plural(expression.length, 'character')} long; the maximum is ${maxLength}.`)
  return new ExpressionParser(tokenize(expression), expression.length).parse()
}

/** Evaluates tokens while it parses them. */
class ExpressionParser {
  readonly #tokens: readonly Token[]
  readonly #length: number
  #position = 0
  #depth = 0
  /** Whether the last value is a standalone percentage, as in `10%`. */
  #isPercentage = false

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens
    this.#length = length
  }

  parse(): Value {
    const result = this.#binary(0)
    if (this.#peek().kind !== 'end') throw unexpected(this.#peek(), 'an operator or the end')
    return result
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '', at: this.#length }
  }

  #takeSign(text: string): boolean {
    const token = this.#peek()
    if (token.kind !== 'sign' || token.text !== text) return false
    this.#position += 1
    return true
  }

  #expectSign(text: string): void {
    if (!this.#takeSign(text)) throw unexpected(this.#peek(), `"${text}"`)
  }

  /** Parses operators with at least the given precedence. */
  #binary(minimum: number): Value {
    this.#depth += 1
    if (this.#depth > maxDepth) throw invalid(`The expression has more than ${maxDepth} nested levels.`)
    let left = this.#operand()
    for (;;) {
      const token = this.#peek()
      const power = token.kind === 'sign' ? precedence[token.text] : undefined
      if (token.kind !== 'sign' || power === undefined || power < minimum) break
      this.#position += 1
      if (token.text === '!') {
        left = callFunction('factorial', [left], `${left}!`)
        this.#isPercentage = false
      } else {
        const leftIsPercentage = this.#isPercentage
        const right = this.#binary(token.text === '^' ? unaryPrecedence : power + 1)
        // For 1 both meanings of a percentage are equal.
        if (this.#isPercentage && !leftIsPercentage && left !== 1n && (token.text === '+' || token.text === '-'))
          throw relativePercent(token)
        left = applyOperator(token.text, left, right)
        this.#isPercentage = this.#isPercentage && leftIsPercentage
      }
    }
    this.#depth -= 1
    return left
  }

  /** Parses a primary value and an optional percent sign. */
  #operand(): Value {
    const value = this.#primary()
    if (this.#peek().kind !== 'percent') return value
    this.#position += 1
    this.#isPercentage = true
    return applyOperator('/', value, 100n)
  }

  #primary(): Value {
    const token = this.#peek()
    this.#position += 1
    this.#isPercentage = false
    if (token.kind === 'number') return token.value
    if (token.kind === 'name') return this.#named(token.text, token.at)
    if (token.kind === 'sign' && token.text === '(') {
      const value = this.#binary(0)
      this.#isPercentage = false
      this.#expectSign(')')
      return value
    }
    if (token.kind === 'sign' && (token.text === '-' || token.text === '+')) {
      const value = this.#binary(unaryPrecedence)
      return token.text === '-' ? negate(value) : value
    }
    throw unexpected(token, 'a number, a name or "("')
  }

  /** Parses a constant or a function call. @param at 0-based position of the name */
  #named(text: string, at: number): Value {
    const name = text.toLowerCase()
    const known = functions.get(name)
    if (!this.#takeSign('(')) {
      const constant = constants.get(name)
      if (constant !== undefined) return constant
      if (known) throw invalid(`"${text}" (column ${at + 1}) is a function and needs arguments in parentheses.`)
      throw invalid(`"${text}" (column ${at + 1}) is neither a function nor a constant.`)
    }
    if (!known) throw invalid(`"${text}" (column ${at + 1}) is not a function.`)
    const args: Value[] = []
    if (!this.#takeSign(')')) {
      do args.push(this.#binary(0))
      while (this.#takeSign(','))
      this.#expectSign(')')
      this.#isPercentage = false
    }
    if (args.length < known.minArguments || args.length > known.maxArguments)
      throw wrongArgumentCount(name, known, args.length, at)
    return callFunction(name, args, `${name}(${args.join(', ')})`)
  }
}

function wrongArgumentCount(name: string, known: MathFunction, count: number, at: number): ToolError {
  const { minArguments: min, maxArguments: max } = known
  const wanted = min === max ? `${min}` : max === Infinity ? `${min} or more` : `${min} to ${max}`
  return invalid(
    `${name} takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, but has ${count} (column ${at + 1}).`,
  )
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
