import { describe, expect, it } from 'vitest'
import { describeStop } from './describeStop.ts'
import { hoverExpression } from './hoverExpression.ts'
import { inlineValues } from './inlineValues.ts'

describe('values beside lines', () => {
  const variables = [
    { name: 'total', value: '12' },
    { name: 'items', value: 'a\n  b' },
    { name: 'long', value: 'x'.repeat(500) },
    // In an outer scope.
    { name: 'total', value: 'outer' },
  ]
  it('are those of the variables that a line names, once each, of the innermost scope', () => {
    expect(inlineValues(['total = total + other', 'other()', 'for item in items:'], variables)).toEqual([
      { index: 0, text: 'total = 12' },
      { index: 2, text: 'items = a b' },
    ])
  })
  it('are short', () => {
    const [{ text } = { text: '' }] = inlineValues(['long'], variables)
    expect(text.length).toBeLessThan(80)
    expect(text).toMatch(/…$/)
  })
})

describe('the expression under the pointer', () => {
  it.each([
    ['total = a.b.c', 1, 'total'],
    ['total = a.b.c', 9, 'a'],
    ['total = a.b.c', 11, 'a.b'],
    ['total = a.b.c', 13, 'a.b.c'],
    ['x = item?.price', 12, 'item?.price'],
    ['naïve = größe', 9, 'größe'],
  ])('%s at %d is %s', (line, column, expression) => {
    expect(hoverExpression(line, column)?.expression).toBe(expression)
  })
  it.each([
    ['a call whose result has a member', 'load().name', 9],
    ['a member of an element', 'list[0].name', 10],
    ['a number', 'x = 12', 6],
    ['white space', 'a  +  b', 3],
  ])('is none at %s', (_what, line, column) => {
    expect(hoverExpression(line, column)).toBeNull()
  })
})

it('the text for a model has message, stack and values, without secrets, and is bounded', () => {
  const frames = [
    { id: 1, name: 'average', path: 'main.py', line: 4, column: 1, subtle: false },
    { id: 2, name: 'run', source: '/usr/lib/x.py', line: 9, column: 1, subtle: true },
  ]
  const variables = [
    { name: 'count', value: '0' },
    { name: 'api_key', value: 'sk-123' },
    { name: 'password', value: 'hunter2' },
    { name: 'big', value: 'x'.repeat(100_000) },
  ]
  const text = describeStop({ id: 'ZeroDivisionError', description: 'division by zero' }, frames, variables)
  expect(text).toContain('ZeroDivisionError: division by zero')
  expect(text).toContain('main.py:4 average')
  expect(text).toContain('count = 0')
  expect(text).not.toMatch(/sk-123|hunter2/)
  expect(text.length).toBeLessThanOrEqual(4000)
})
