import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import type { Value } from './exactArithmetic.ts'
import { evaluate } from './expression.ts'

export const calculator = defineTool({
  name: 'calculator',
  title: 'Calculate',
  description:
    'Evaluates an arithmetic expression: + - * / % ^ !, parentheses, sqrt, abs, round(x, digits), min, max, sum, avg, ln, log(x, base), log10, exp, sin (radians) and similar, pi, e. ' +
    'Integers are exact, other numbers have 15 digits. 15% is 0.15.',
  risk: 'read',
  schema: () => z.object({ expression: z.string().describe('The expression, e.g. "(1 + 2) * 3^2".') }),
  examples: [{ expression: 'sqrt(144) + 3 * 7' }, { expression: 'round(100 * 1.19, 2)' }],
  run: ({ expression }) => Promise.resolve({ text: shownNumber(evaluate(expression)) }),
})

/**
 * Formats a value. Exact integers are complete; other numbers have 15 digits, so that 0.1 + 0.2 is 0.3. Inexact
 * integers get an exponent instead of wrong digits.
 */
function shownNumber(value: Value): string {
  if (typeof value === 'bigint') return String(value)
  if (Object.is(value, -0)) return '0'
  if (Number.isSafeInteger(value)) return String(value)
  const rounded = Number(value.toPrecision(15))
  return Number.isInteger(rounded) && !Number.isSafeInteger(rounded) ? rounded.toExponential() : String(rounded)
}
