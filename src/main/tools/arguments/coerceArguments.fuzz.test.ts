import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { fuzz, textOf } from '../../testing/fuzz.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { readArguments } from './coerceArguments.ts'
import { repairJson } from './repairJson.ts'

const tool = defineTool({
  name: 'change',
  title: 'Change',
  description: '',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().min(1),
      count: z.number().int().min(0).max(100).default(3),
      all: z.boolean().optional(),
      kind: z.enum(['file', 'folder']).optional(),
      names: z.array(z.string()).max(5).optional(),
      edits: z.array(z.object({ old: z.string(), now: z.string() })).optional(),
      extra: z.record(z.string(), z.unknown()).optional(),
    }),
  parameterAliases: { file_path: 'path', __proto__x: 'path' },
  ignoredParameters: ['explanation'],
  run: async () => ({ text: '' }),
})

const keys = [
  'path',
  'file_path',
  'filePath',
  'count',
  'all',
  'kind',
  'names',
  'edits',
  'extra',
  'explanation',
  '__proto__',
  'constructor',
  'toString',
  'other',
]
const value = fc.oneof(
  fc.constantFrom<unknown>(
    'x',
    '3',
    '-1',
    'true',
    'FALSE',
    'File',
    '["a"]',
    '[1]',
    '{"old":"a","now":"b"}',
    '',
    null,
    3,
    1.5,
    -1,
    1e9,
    true,
    [],
    ['a'],
    [null],
    {},
  ),
  fc.constantFrom<unknown>(
    [{ old: 'a', now: 'b' }],
    [{ old: 1, now: null }],
    { old: 'a', now: 'b' },
    Number.NaN,
    undefined,
  ),
  fc.jsonValue({ maxDepth: 1 }),
)
const given = fc
  .array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries))

/** Reads arguments. @returns undefined if they are refused */
function read(raw: unknown): Record<string, unknown> | undefined {
  try {
    return readArguments(tool, raw).values
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    expect(error.code).toBe('invalid_arguments')
    return undefined
  }
}

describe('arguments', () => {
  fuzz('of any value fit the schema or are refused, and are not repaired twice', [fc.oneof(given, value)], (raw) => {
    const values = read(raw)
    if (!values) return
    expect(tool.schema.safeParse(values).success).toBe(true)
    expect(readArguments(tool, values)).toEqual({ values, repaired: false })
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
  })

  fuzz('have the same result as a value and as JSON text', [given], (raw) => {
    const plain: unknown = JSON.parse(JSON.stringify(raw))
    expect(read(JSON.stringify(plain))).toEqual(read(plain))
  })

  const parts = [
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ',',
    ':',
    '"path"',
    '"x"',
    'path',
    'true',
    'True',
    'None',
    '1',
    '\\',
    '\\n',
    '\\d',
    '\n',
    '```',
    '```json',
    '//',
    '/*',
    '*/',
    '...',
    ' ',
    '{}',
    'NaN',
    '\u0000',
  ]
  fuzz('of any text fit the schema or are refused', [textOf(parts, 25)], (text) => {
    const values = read(text)
    if (values) expect(tool.schema.safeParse(values).success).toBe(true)
  })
})

describe('repaired JSON', () => {
  const container = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 }),
    fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
  )

  fuzz('that is valid keeps its value', [container], (sent) => {
    const json = JSON.stringify(sent)
    const found = repairJson(json)
    if (found.kind === 'repaired') expect(found.value).toEqual(JSON.parse(json))
    else expect(found.kind).toBe('broken')
  })

  fuzz('with a superfluous comma keeps its strings', [container], (sent) => {
    const json = JSON.stringify(sent)
    const found = repairJson(`${json.slice(0, -1)},${json.slice(-1)}`)
    if (found.kind === 'repaired') expect(found.value).toEqual(JSON.parse(json))
  })

  fuzz('that is truncated is never completed', [container, fc.nat()], (sent, cut) => {
    const json = JSON.stringify(sent)
    expect(
      repairJson(json.slice(0, 1 + (cut % Math.max(1, json.length - 1)))).kind === 'repaired' && json.length > 2,
    ).toBe(false)
  })
})
