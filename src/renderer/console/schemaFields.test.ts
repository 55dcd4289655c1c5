import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { draftOf, fieldsOf, readFields } from './schemaFields.ts'

const schema = z.object({
  limit: z.number().int().describe('How many.').default(20),
  path: z.string().describe('Workspace path.'),
  recursive: z.boolean().optional(),
  order: z.enum(['name', 'date']).optional(),
  patches: z.array(
    z.object({ old_text: z.string(), new_text: z.string(), start_line: z.number().int().nullable().optional() }),
  ),
  environment: z.record(z.string(), z.string()).optional(),
  range: z.object({ from: z.number(), to: z.number().optional() }).optional(),
})
const fields = fieldsOf(z.toJSONSchema(schema))
const kindOf = (name: string) => fields.find((field) => field.name === name)?.kind

describe('fieldsOf', () => {
  it('puts required fields first and supports every kind', () => {
    expect(fields.slice(0, 2).map(({ name }) => name)).toEqual(['path', 'patches'])
    expect(['limit', 'path', 'recursive', 'order', 'patches', 'environment', 'range'].map(kindOf)).toEqual([
      'integer',
      'string',
      'boolean',
      'enum',
      'array',
      'json',
      'object',
    ])
  })

  it('treats a field with a default as optional', () => {
    expect(fields.find(({ name }) => name === 'limit')).toMatchObject({
      required: false,
      defaultValue: 20,
      description: 'How many.',
    })
  })

  it('reads "or null" as optional, not as JSON', () => {
    const patches = fields.find(({ name }) => name === 'patches')
    const line =
      patches?.kind === 'array' && patches.item.kind === 'object'
        ? patches.item.fields.find(({ name }) => name === 'start_line')
        : undefined
    expect(line?.kind).toBe('integer')
  })

  it('follows references inside the schema', () => {
    const [field] = fieldsOf({
      type: 'object',
      properties: { at: { $ref: '#/$defs/place' } },
      $defs: { place: { type: 'object', properties: { line: { type: 'integer' } } } },
    })
    expect(field?.kind).toBe('object')
  })
})

describe('readFields', () => {
  it('builds typed arguments and omits untouched fields', () => {
    const draft = {
      path: 'a.txt',
      limit: '5',
      recursive: true,
      order: 'date',
      patches: [{ old_text: 'x', new_text: '' }],
      environment: '{"A":"1"}',
    }
    expect(readFields(fields, draft)).toEqual({
      value: {
        path: 'a.txt',
        limit: 5,
        recursive: true,
        order: 'date',
        patches: [{ old_text: 'x', new_text: '' }],
        environment: { A: '1' },
      },
      problems: [],
    })
  })

  it('reports the path of an invalid field, including in rows and groups', () => {
    const draft = {
      path: 'a',
      limit: '1.5',
      environment: '{',
      patches: [{ old_text: 'x', new_text: 'y', start_line: 'ten' }],
      range: { to: '3' },
    }
    expect(
      readFields(fields, draft)
        .problems.map(({ path }) => path)
        .toSorted(),
    ).toEqual(['environment', 'limit', 'patches.0.start_line', 'range.from'])
  })

  it('omits an untouched optional group', () => {
    expect(readFields(fields, { path: 'a', range: { from: '' } }).value).toEqual({ path: 'a', patches: [] })
  })

  it('allows a required text to be empty', () => {
    expect(readFields(fields, {}).value).toMatchObject({ path: '' })
  })
})

describe('draftOf', () => {
  it('round-trips arguments', () => {
    const value = {
      path: 'a',
      limit: 3,
      recursive: true,
      patches: [{ old_text: '1', new_text: '2', start_line: 4 }],
      environment: { B: '2' },
      range: { from: 1 },
    }
    expect(readFields(fields, draftOf(fields, value))).toEqual({ value, problems: [] })
  })
})
