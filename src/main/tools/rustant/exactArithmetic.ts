import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { exactFunctions, functions } from './mathFunctions.ts'

/** An exact integer, or a double. */
export type Value = bigint | number

/** Maximum digits of an exact result. */
const maxDigits = 1_000
const limit = 10n ** BigInt(maxDigits)

/**
 * Applies an operator. The result is exact if both sides and the result are integers.
 * @throws ToolError out_of_range
 */
export function applyOperator(operator: string, left: Value, right: Value): Value {
  const expression = `${truncateNumber(left)} ${operator} ${truncateNumber(right)}`
  const exact =
    typeof left === 'bigint' && typeof right === 'bigint' ? applyExactly(operator, left, right, expression) : undefined
  return exact ?? checked(applyDouble(operator, Number(left), Number(right)), expression)
}

/** Returns the value with the opposite sign. */
export function negate(value: Value): Value {
  return -value
}

/**
 * Calls a function of the calculator.
 * @param expression the call as text, for errors
 * @throws ToolError out_of_range
 */
export function callFunction(name: string, values: readonly Value[], expression: string): Value {
  const whole = values.filter((value) => typeof value === 'bigint')
  const exact =
    whole.length === values.length
      ? name === 'pow'
        ? power(whole[0] ?? 0n, whole[1] ?? 0n, expression)
        : exactFunctions.get(name)?.(whole)
      : undefined
  return exact === undefined
    ? checked(functions.get(name)?.run(values.map(Number)) ?? Number.NaN, expression)
    : bounded(exact, expression)
}

function applyExactly(operator: string, left: bigint, right: bigint, expression: string): bigint | undefined {
  switch (operator) {
    case '+':
      return bounded(left + right, expression)
    case '-':
      return bounded(left - right, expression)
    case '*':
      return bounded(left * right, expression)
    case '/':
      return right !== 0n && left % right === 0n ? left / right : undefined
    case '%':
      return right === 0n ? undefined : left % right
    default:
      return power(left, right, expression)
  }
}

/** Returns undefined for a negative exponent, whose result is a fraction. */
function power(base: bigint, exponent: bigint, expression: string): bigint | undefined {
  if (exponent < 0n) return undefined
  const digits = base === 0n || base === 1n || base === -1n ? 1 : (String(base).length - 1) * Number(exponent) * 0.999
  // The estimate for a base with one digit is 0, so the exponent is limited too.
  if (digits > maxDigits || (base !== 0n && base !== 1n && base !== -1n && exponent > 4_000n))
    throw tooLarge(expression)
  return bounded(base ** exponent, expression)
}

function applyDouble(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return right === 0 ? Number.NaN : left / right
    case '%':
      return left % right
    default:
      return left ** right
  }
}

function bounded(value: bigint, expression: string): bigint {
  if (value > -limit && value < limit) return value
  throw tooLarge(expression)
}

function checked(value: number, expression: string): number {
  if (Number.isFinite(value)) return value
  if (!Number.isNaN(value)) throw tooLarge(expression)
  throw new ToolError('out_of_range', `${expression} has no real value.`, 'Change the expression.')
}

function tooLarge(expression: string): ToolError {
  return new ToolError(
    'out_of_range',
    `${expression} is too large.`,
    'Change the expression, or calculate with a command if larger numbers are needed.',
  )
}

function truncateNumber(value: Value): string {
  const text = String(value)
  return text.length > 40 ? `${text.slice(0, 20)}… (${plural(text.length, 'digit')})` : text
}
