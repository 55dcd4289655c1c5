import { expect, it } from 'vitest'
import type { McpTool } from '../mcp/mcpTool.ts'
import { parseArguments } from './arguments/coerceArguments.ts'
import { adaptMcpTool } from './mcpToolAdapter.ts'
import { chatTools } from './schema/toolSchema.ts'

function tool(schema: Record<string, unknown>): McpTool {
  return {
    name: 'fs__find',
    server: 'fs',
    serverKey: 'user:fs',
    tool: 'find',
    title: 'Find',
    description: 'Finds.',
    schema: { type: 'object', ...schema },
    risk: 'execute',
    off: false,
    fingerprint: 'f',
    call: async () => ({ text: 'found', json: false, pictures: [] }),
  }
}
const parsed = (schema: Record<string, unknown>, args: unknown) => parseArguments(adaptMcpTool(tool(schema)), args)
const failure = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

const properties = {
  path: { type: 'string', minLength: 1 },
  depth: { type: 'integer' },
  kinds: { type: 'array', items: { enum: ['file', 'folder'] } },
}

it('sends only the parts of a schema that the grammar compilers of model servers support', () => {
  const schema = {
    properties: { ...properties, when: { $ref: '#/$defs/date' }, id: { type: 'string', pattern: '^\\d+' } },
    $defs: { date: { type: 'string', format: 'date' } },
    required: ['path'],
  }
  const when = { type: 'string', format: 'date' }
  expect(chatTools([adaptMcpTool(tool(schema))])[0]?.parameters).toEqual({
    type: 'object',
    properties: { ...properties, when, id: { type: 'string' } },
    required: ['path'],
  })
})

it('repairs arguments as for built-in tools', () => {
  expect(parsed({ properties, required: ['path'] }, '{"path": "a", "depth": "2", "kinds": "[\\"file\\"]"}')).toEqual({
    path: 'a',
    depth: 2,
    kinds: ['file'],
  })
})

it.each([
  ['a missing argument', {}, '"path" is missing'],
  ['another type', { path: 'a', depth: 'deep' }, '"depth" must be a number'],
  ['a value that is not listed', { path: 'a', kinds: ['socket'] }, '"kinds[0]" must be "file" or "folder"'],
  ['a misspelled name', { path: 'a', dept: 1 }, 'did you mean "depth"?'],
])('refuses %s before the server is called', (_what, args, words) => {
  expect(failure(() => parsed({ properties, required: ['path'] }, args))).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining(words),
  })
})

it('accepts additional properties if the schema allows them', () => {
  const args = { path: 'a', anything: [1] }
  expect(parsed({ properties, additionalProperties: true }, args)).toEqual(args)
  expect(parsed({}, args)).toEqual(args)
  expect(failure(() => parsed({ properties: {} }, args))).toMatchObject({ code: 'invalid_arguments' })
})

it('does not run regular expressions of the server, which can be slow', () => {
  const slow = { text: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'string' } }
  const args = { text: `${'a'.repeat(60)}!`, pattern: 'a parameter of this name' }
  expect(parsed({ properties: slow, patternProperties: { '^(a+)+$': {} }, additionalProperties: false }, args)).toEqual(
    args,
  )
})

it.each([
  ['a condition', { properties, dependentRequired: { path: ['depth'] } }],
  ['an external reference', { properties: { path: { $ref: 'https://example.com/path.json' } } }],
  ['an unknown type', { properties: { path: { type: 'widget' } } }],
])('leaves %s to the server', (_what, schema) => {
  expect(parsed(schema, { path: 'a' })).toEqual({ path: 'a' })
})
