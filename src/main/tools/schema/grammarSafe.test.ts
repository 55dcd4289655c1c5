import { getEncoding } from 'js-tiktoken'
import { describe, expect, it, test } from 'vitest'
import { promptProfiles } from '../../../shared/agent/promptProfile.ts'
import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { isRecord } from '../../model/transport/errorBody.ts'
import { hostileSchemas, object } from '../../testing/hostileSchemas.ts'
import { bladeToolset } from '../blade/bladeToolset.ts'
import { grammarSafeSchema } from './grammarSafe.ts'
import { offeredTools } from '../promptTools.ts'
import { rustantToolset } from '../rustant/rustantToolset.ts'
import { rustyToolset } from '../rusty/rustyToolset.ts'
import { parametersSchema } from './toolSchema.ts'
import { tizonaTools } from '../tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from '../ultrasushitron/ultraSushiTronToolset.ts'

const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const cl100k = getEncoding('cl100k_base')

const keywords = new Set([
  'type',
  'description',
  'default',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'anyOf',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'format',
  'additionalProperties',
])
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const hasEscape = (value: unknown) => JSON.stringify(value).slice(1, -1).includes('\\')

/**
 * Returns parts of a schema that llama.cpp's converter (`common/json-schema-to-grammar.cpp`) or its grammar parser
 * (`src/llama-grammar.cpp`) would refuse, and parts that would yield a large grammar. `bench/llama-server.ts` checks
 * the same with a real llama-server.
 */
function problems(schema: unknown, at = '', depth = 0): string[] {
  if (!isRecord(schema)) return [`${at}: no schema`]
  const found: string[] = []
  const expectThat = (fine: boolean, what: string) => void (fine || found.push(`${at}: ${what}`))
  for (const key of Object.keys(schema)) expectThat(keywords.has(key), `keyword ${key}`)
  const named: unknown[] = [schema['type'] ?? 'object'].flat()
  for (const type of named)
    expectThat(
      types.some((each) => each === type),
      `type ${JSON.stringify(type)}`,
    )
  expectThat(depth <= 10, 'too deep')
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (values !== undefined)
    expectThat(Array.isArray(values) && values.length > 0 && values.length <= 100 && !values.some(hasEscape), 'values')
  for (const key of ['minItems', 'maxItems', 'minLength'])
    expectThat(schema[key] === undefined || (Number.isInteger(schema[key]) && Number(schema[key]) <= 64), key)
  for (const key of ['minimum', 'maximum'])
    expectThat(
      schema[key] === undefined || (Number.isInteger(schema[key]) && Math.abs(Number(schema[key])) <= 1e9),
      key,
    )
  expectThat(!(Number(schema['minimum']) > Number(schema['maximum'])), 'empty range')
  expectThat(!(Number(schema['minItems']) > Number(schema['maxItems'])), 'empty range of items')
  if (schema['format'] !== undefined)
    expectThat(
      ['date', 'time', 'date-time', 'uuid'].some((each) => each === schema['format']),
      'format',
    )
  const properties = schema['properties']
  if (properties !== undefined) {
    expectThat(isRecord(properties), 'properties')
    for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
      expectThat(!hasEscape(name), `name ${name}`)
      found.push(...problems(property, `${at}/${name}`, depth + 1))
    }
    // With additional properties allowed, the converter copies property names into character classes unescaped.
    if (isRecord(properties) && Object.keys(properties).length > 0)
      expectThat(schema['additionalProperties'] === undefined, 'free names beside known ones')
  }
  if (isRecord(schema['additionalProperties']))
    found.push(...problems(schema['additionalProperties'], `${at}/*`, depth + 1))
  if (schema['items'] !== undefined) found.push(...problems(schema['items'], `${at}[]`, depth + 1))
  if (schema['anyOf'] !== undefined) {
    expectThat(Array.isArray(schema['anyOf']) && schema['anyOf'].length > 0, 'anyOf')
    for (const each of Array.isArray(schema['anyOf']) ? (schema['anyOf'] as unknown[]) : [])
      found.push(...problems(each, `${at}|`, depth + 1))
  }
  return found
}

describe.each(toolsets)('the schemas of $name', (toolset) => {
  const tools = [...toolset.tools, ...tizonaTools]

  it.each(promptProfiles)('compile into a grammar in the profile %s', (profile) => {
    for (const tool of offeredTools(toolset, tools, profile)) expect(problems(tool.parameters, tool.name)).toEqual([])
  })

  it('have no more tokens than the original schemas', () => {
    const tokens = (schemas: readonly JsonSchema[]) => cl100k.encode(JSON.stringify(schemas)).length
    expect(tokens(tools.map((tool) => grammarSafeSchema(parametersSchema(tool))))).toBeLessThanOrEqual(
      tokens(tools.map(parametersSchema)),
    )
  })

  it('keep every parameter, and the list of required ones', () => {
    for (const tool of tools) {
      const whole = parametersSchema(tool)
      const safe = grammarSafeSchema(whole)
      expect(Object.keys(safe.properties as object)).toEqual(Object.keys((whole.properties ?? {}) as object))
      expect(safe.required).toEqual(whole.required)
    }
  })
})

describe('schemas of MCP servers', () => {
  test.each(hostileSchemas)('with %s compile into a grammar', (_, schema) => {
    const safe = grammarSafeSchema(schema)
    expect(safe.type).toBe('object')
    expect(problems(safe)).toEqual([])
    expect(JSON.stringify(safe).length).toBeLessThan(12_000)
  })

  it('keep the supported keywords', () => {
    const safe = grammarSafeSchema({
      type: 'object',
      $defs: {
        place: object({ line: { type: 'integer', minimum: 1 } }, { required: ['line'], additionalProperties: false }),
      },
      properties: {
        place: { $ref: '#/$defs/place', description: 'Where.' },
        kind: { enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 80 }, maxItems: 8 },
        value: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        env: { type: 'object', additionalProperties: { type: 'string' } },
        when: { type: 'string', format: 'date' },
      },
      required: ['place', 'gone'],
    })
    expect(safe).toEqual({
      type: 'object',
      properties: {
        place: {
          type: 'object',
          description: 'Where.',
          properties: { line: { type: 'integer', minimum: 1 } },
          required: ['line'],
        },
        kind: { enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 8 },
        value: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        env: { type: 'object', additionalProperties: { type: 'string' } },
        when: { type: 'string', format: 'date' },
      },
      required: ['place'],
    })
  })
})
