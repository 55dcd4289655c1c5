import type { JsonSchema } from '../../shared/tools/tool.ts'

/** Creates the schema of an object. */
export const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})
const deep = (levels: number): unknown => (levels === 0 ? { type: 'string' } : object({ inner: deep(levels - 1) }))

/** Tool schemas that MCP servers may send and that grammar compilers do not accept unchanged. */
export const hostileSchemas: readonly (readonly [what: string, schema: JsonSchema])[] = [
  [
    'patterns',
    object({
      a: { type: 'string', pattern: '\\d+' },
      b: { type: 'string', pattern: '^(a{1,1000}){1,1000}$' },
      c: { type: 'string', pattern: '(?=x)' },
      d: { pattern: 5 },
    }),
  ],
  [
    'large bounds',
    object({
      a: { type: 'string', minLength: 100_000, maxLength: 1e9 },
      b: { type: 'array', items: { type: 'array', items: { type: 'string' }, maxItems: 5000 }, minItems: 3000 },
    }),
  ],
  [
    'integers beyond 64 bits',
    object({
      a: { type: 'integer', minimum: -1e300, maximum: 1e300 },
      b: { type: 'integer', exclusiveMinimum: 0.5, maximum: 7.5 },
      c: { type: 'integer', minimum: 9, maximum: 1 },
    }),
  ],
  [
    'words that are no keywords',
    object({
      a: { type: 'widget' },
      b: { type: ['widget', 'string'] },
      c: { format: 5, type: 'string' },
      d: { enum: [] },
      e: { enum: 'x' },
      f: { type: 7 },
    }),
  ],
  [
    'conditions',
    object(
      { a: { type: 'string' } },
      {
        if: {},
        else: {},
        not: {},
        dependentSchemas: {},
        patternProperties: { '^x': {} },
        propertyNames: { pattern: 'x' },
        unevaluatedProperties: false,
      },
    ),
  ],
  [
    'alternatives of required names',
    object({ a: { type: 'string' }, b: { type: 'string' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
  ],
  [
    'a reference to itself',
    {
      ...object({ next: { $ref: '#' }, tree: { $ref: '#/$defs/tree' } }),
      $defs: { tree: object({ children: { type: 'array', items: { $ref: '#/$defs/tree' } } }) },
    },
  ],
  [
    'references to elsewhere',
    object({
      a: { $ref: 'https://example.com/a.json' },
      b: { $ref: '#/nowhere' },
      c: { $ref: 'file:///etc/passwd' },
      d: { $ref: 5 },
    }),
  ],
  [
    'names for character classes',
    object(
      {
        ']': { type: 'string' },
        '^a-': { type: 'string' },
        'back\\slash': { type: 'string' },
        'new\nline': { type: 'string' },
      },
      { additionalProperties: { type: 'string' }, required: ['back\\slash'] },
    ),
  ],
  [
    'values with escapes',
    object({ a: { enum: ['a\\b', '\u0001'] }, b: { const: 'tab\t' }, c: { enum: [{ deep: true }] } }),
  ],
  ['booleans for schemas', object({ a: true, b: false, c: { type: 'array', items: true }, d: null, e: [] })],
  [
    'a list of item schemas',
    object({
      a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      b: { type: 'array', prefixItems: [{ type: 'string' }] },
    }),
  ],
  [
    'all of them',
    object({
      a: { allOf: [object({ x: { type: 'string' } }, { required: ['x'] }), object({ y: { type: 'string' } })] },
      b: { allOf: [{ type: 'string' }, { minLength: 3 }] },
    }),
  ],
  ['one hundred levels', object({ a: deep(100) })],
  [
    'three thousand parameters',
    object(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: 'string' }])), {
      required: ['p2999'],
    }),
  ],
  ['ten thousand values', object({ a: { type: 'string', enum: Array.from({ length: 10_000 }, (_, at) => `v${at}`) } })],
  [
    'a union at the root',
    { oneOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'integer' } })] },
  ],
  ['no object at the root', { type: 'string' }],
  ['nothing at all', {}],
  ['required that is no list', object({ a: { type: 'string' } }, { required: true })],
  [
    '__proto__',
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"$ref":"#/constructor/prototype"}}}',
    ) as JsonSchema,
  ],
]
