import { expect, it } from 'vitest'
import { bodyJson } from './bodyJson.ts'

it('is the JSON of the body, also when messages and tools repeat', () => {
  const first = { role: 'user', content: 'a "quoted" text\nwith lines' }
  const tools = [{ type: 'function', function: { name: 'read', parameters: {} } }]
  const body = { model: 'm', messages: [first], tools, stream: true, seed: undefined, options: { num_ctx: 8192 } }
  const next = { ...body, messages: [first, { role: 'assistant', content: '' }] }
  for (const each of [body, next, next, {}, { messages: [] }]) expect(bodyJson(each)).toBe(JSON.stringify(each))
})
