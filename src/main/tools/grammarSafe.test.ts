import { getEncoding } from 'js-tiktoken'
import { describe, expect, it, test } from 'vitest'
import { promptProfiles } from '../../shared/promptProfile.ts'
import type { JsonSchema } from '../../shared/tool.ts'
import { isRecord } from '../model/errorBody.ts'
import { bladeToolset } from './blade/index.ts'
import { grammarSafe } from './grammarSafe.ts'
import { offeredTools } from './offer.ts'
import { rustantToolset } from './rustant/index.ts'
import { rustyToolset } from './rusty/index.ts'
import { parametersSchema } from './schema.ts'
import { tizonaTools } from './tizona/index.ts'
import { ultraSushiTronToolset } from './ultrasushitron/index.ts'

const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const cl100k = getEncoding('cl100k_base')

const keywords = new Set(['type', 'description', 'default', 'properties', 'required', 'items', 'enum', 'const', 'anyOf', 'minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'format', 'additionalProperties'])
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const hasEscape = (value: unknown) => JSON.stringify(value).slice(1, -1).includes('\\')

/**
 * What llama.cpp's converter (`common/json-schema-to-grammar.cpp`) or its grammar parser (`src/llama-grammar.cpp`) would refuse in a
 * schema, and what would make a large grammar. `bench/llama-server.ts` asks a real llama-server the same.
 */
function problems(schema: unknown, at = '', depth = 0): string[] {
  if (!isRecord(schema)) return [`${at}: no schema`]
  const found: string[] = []
  const expectThat = (fine: boolean, what: string) => void (fine || found.push(`${at}: ${what}`))
  for (const key of Object.keys(schema)) expectThat(keywords.has(key), `keyword ${key}`)
  const named: unknown[] = [schema['type'] ?? 'object'].flat()
  for (const type of named) expectThat(types.some((each) => each === type), `type ${JSON.stringify(type)}`)
  expectThat(depth <= 10, 'too deep')
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (values !== undefined) expectThat(Array.isArray(values) && values.length > 0 && values.length <= 100 && !values.some(hasEscape), 'values')
  for (const key of ['minItems', 'maxItems', 'minLength']) expectThat(schema[key] === undefined || (Number.isInteger(schema[key]) && Number(schema[key]) <= 64), key)
  for (const key of ['minimum', 'maximum']) expectThat(schema[key] === undefined || (Number.isInteger(schema[key]) && Math.abs(Number(schema[key])) <= 1e9), key)
  expectThat(!(Number(schema['minimum']) > Number(schema['maximum'])), 'empty range')
  expectThat(!(Number(schema['minItems']) > Number(schema['maxItems'])), 'empty range of items')
  if (schema['format'] !== undefined) expectThat(['date', 'time', 'date-time', 'uuid'].some((each) => each === schema['format']), 'format')
  const properties = schema['properties']
  if (properties !== undefined) {
    expectThat(isRecord(properties), 'properties')
    for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
      expectThat(!hasEscape(name), `name ${name}`)
      found.push(...problems(property, `${at}/${name}`, depth + 1))
    }
    // Names beside free ones are written into character classes unescaped.
    if (isRecord(properties) && Object.keys(properties).length > 0) expectThat(schema['additionalProperties'] === undefined, 'free names beside known ones')
  }
  if (isRecord(schema['additionalProperties'])) found.push(...problems(schema['additionalProperties'], `${at}/*`, depth + 1))
  if (schema['items'] !== undefined) found.push(...problems(schema['items'], `${at}[]`, depth + 1))
  if (schema['anyOf'] !== undefined) {
    expectThat(Array.isArray(schema['anyOf']) && schema['anyOf'].length > 0, 'anyOf')
    for (const each of Array.isArray(schema['anyOf']) ? (schema['anyOf'] as unknown[]) : []) found.push(...problems(each, `${at}|`, depth + 1))
  }
  return found
}

describe.each(toolsets)('the schemas of $name', (toolset) => {
  const tools = [...toolset.tools, ...tizonaTools]

  it.each(promptProfiles)('compile into a grammar in the profile %s', (profile) => {
    for (const tool of offeredTools(toolset, tools, profile)) expect(problems(tool.parameters, tool.name)).toEqual([])
  })

  it('take no more tokens than the whole schemas', () => {
    const tokens = (schemas: readonly JsonSchema[]) => cl100k.encode(JSON.stringify(schemas)).length
    expect(tokens(tools.map((tool) => grammarSafe(parametersSchema(tool))))).toBeLessThanOrEqual(tokens(tools.map(parametersSchema)))
  })

  it('keep every parameter, and which are required', () => {
    for (const tool of tools) {
      const whole = parametersSchema(tool)
      const safe = grammarSafe(whole)
      expect(Object.keys(safe.properties as object)).toEqual(Object.keys((whole.properties ?? {}) as object))
      expect(safe.required).toEqual(whole.required)
    }
  })
})

const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more })
const deep = (levels: number): unknown => (levels === 0 ? { type: 'string' } : object({ inner: deep(levels - 1) }))

const hostile: [what: string, schema: JsonSchema][] = [
  ['patterns', object({ a: { type: 'string', pattern: '\\d+' }, b: { type: 'string', pattern: '^(a{1,1000}){1,1000}$' }, c: { type: 'string', pattern: '(?=x)' }, d: { pattern: 5 } })],
  ['large bounds', object({ a: { type: 'string', minLength: 100_000, maxLength: 1e9 }, b: { type: 'array', items: { type: 'array', items: { type: 'string' }, maxItems: 5000 }, minItems: 3000 } })],
  ['integers beyond 64 bits', object({ a: { type: 'integer', minimum: -1e300, maximum: 1e300 }, b: { type: 'integer', exclusiveMinimum: 0.5, maximum: 7.5 }, c: { type: 'integer', minimum: 9, maximum: 1 } })],
  ['words that are no keywords', object({ a: { type: 'widget' }, b: { type: ['widget', 'string'] }, c: { format: 5, type: 'string' }, d: { enum: [] }, e: { enum: 'x' }, f: { type: 7 } })],
  ['conditions', object({ a: { type: 'string' } }, { if: {}, else: {}, not: {}, dependentSchemas: {}, patternProperties: { '^x': {} }, propertyNames: { pattern: 'x' }, unevaluatedProperties: false })],
  ['alternatives of required names', object({ a: { type: 'string' }, b: { type: 'string' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] })],
  ['a reference to itself', { ...object({ next: { $ref: '#' }, tree: { $ref: '#/$defs/tree' } }), $defs: { tree: object({ children: { type: 'array', items: { $ref: '#/$defs/tree' } } }) } }],
  ['references to elsewhere', object({ a: { $ref: 'https://example.com/a.json' }, b: { $ref: '#/nowhere' }, c: { $ref: 'file:///etc/passwd' }, d: { $ref: 5 } })],
  ['names for character classes', object({ ']': { type: 'string' }, '^a-': { type: 'string' }, 'back\\slash': { type: 'string' }, 'new\nline': { type: 'string' } }, { additionalProperties: { type: 'string' }, required: ['back\\slash'] })],
  ['values with escapes', object({ a: { enum: ['a\\b', '\u0001'] }, b: { const: 'tab\t' }, c: { enum: [{ deep: true }] } })],
  ['booleans for schemas', object({ a: true, b: false, c: { type: 'array', items: true }, d: null, e: [] })],
  ['a list of item schemas', object({ a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }, b: { type: 'array', prefixItems: [{ type: 'string' }] } })],
  ['all of them', object({ a: { allOf: [object({ x: { type: 'string' } }, { required: ['x'] }), object({ y: { type: 'string' } })] }, b: { allOf: [{ type: 'string' }, { minLength: 3 }] } })],
  ['one hundred levels', object({ a: deep(100) })],
  ['three thousand parameters', object(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: 'string' }])), { required: ['p2999'] })],
  ['ten thousand values', object({ a: { type: 'string', enum: Array.from({ length: 10_000 }, (_, at) => `v${at}`) } })],
  ['a union at the root', { oneOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'integer' } })] }],
  ['no object at the root', { type: 'string' }],
  ['nothing at all', {}],
  ['required that is no list', object({ a: { type: 'string' } }, { required: true })],
  ['__proto__', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"$ref":"#/constructor/prototype"}}}') as JsonSchema],
]

describe('schemas of MCP servers', () => {
  test.each(hostile)('with %s compile into a grammar', (_, schema) => {
    const safe = grammarSafe(schema)
    expect(safe.type).toBe('object')
    expect(problems(safe)).toEqual([])
    expect(JSON.stringify(safe).length).toBeLessThan(12_000)
  })

  it('keep what can be said', () => {
    const safe = grammarSafe({
      type: 'object',
      $defs: { place: object({ line: { type: 'integer', minimum: 1 } }, { required: ['line'], additionalProperties: false }) },
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
        place: { type: 'object', description: 'Where.', properties: { line: { type: 'integer', minimum: 1 } }, required: ['line'] },
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
