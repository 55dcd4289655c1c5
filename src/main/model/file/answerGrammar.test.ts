import { expect, it } from 'vitest'
import { callGrammars } from './answerGrammar.ts'

const line = (schema: object) => ({ type: 'object', properties: { line: { type: 'integer', ...schema } } })
const tool = { name: 'read', parameters: line({}) }

it('the first grammar holds the bounds that the prompt leaves out', () => {
  const [first, second, third] = callGrammars([{ ...tool, bounded: () => line({ minimum: 1 }) }])
  expect(first).toBe(callGrammars([{ name: 'read', parameters: line({ minimum: 1 }) }])[0])
  expect(second).toBe(callGrammars([tool])[0])
  expect(new Set([first, second, third]).size).toBe(3)
})

it('bounds that no grammar can hold are left out', () => {
  const [first, second] = callGrammars([{ ...tool, bounded: () => line({ allOf: [{ minimum: 1 }] }) }])
  expect(first).toBe(second)
})
