import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chatTools, parametersSchema, textPrompt, toolInfo } from './toolSchema.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { toolDocs } from './toolDocs.ts'

const tool = defineTool({
  name: 'look',
  aliases: ['see'],
  title: 'Look',
  description: 'Looks at things. Not more.',
  risk: 'destructive',
  riskOf: () => 'write',
  schema: () =>
    z.object({
      path: z.string().describe('Where | when.'),
      depth: z.number().int().min(1).default(2).describe('How deep.'),
      how: z.enum(['near', 'far']).optional().describe('How.'),
      parts: z
        .array(
          z.preprocess(
            (value) => value,
            z.strictObject({ name: z.string(), tags: z.record(z.string(), z.string()).optional() }),
          ),
        )
        .optional()
        .describe('Parts.'),
      default: z.literal('maximum').optional().describe('A name that is a keyword elsewhere.'),
    }),
  parameterAliases: { file: 'path' },
  examples: [{ path: 'a' }],
  run: () => Promise.resolve({ text: '' }),
})

describe('a tool definition yields', () => {
  test('a minimal JSON Schema for callers', () => {
    expect(parametersSchema(tool)).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where | when.' },
        depth: { type: 'integer', minimum: 1, default: 2, description: 'How deep.' },
        how: { type: 'string', enum: ['near', 'far'], description: 'How.' },
        parts: {
          type: 'array',
          description: 'Parts.',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              tags: { type: 'object', additionalProperties: { type: 'string' } },
            },
            required: ['name'],
          },
        },
        default: { type: 'string', const: 'maximum', description: 'A name that is a keyword elsewhere.' },
      },
      required: ['path'],
    })
  })

  test('the schema for a model, with the main name and without bounds', () => {
    const [offered] = chatTools([tool])
    expect(offered).toMatchObject({ name: 'look', description: 'Looks at things. Not more.' })
    expect(offered?.parameters['required']).toEqual(['path'])
    expect(offered?.parameters['properties']).toMatchObject({
      depth: { type: 'integer', default: 2, description: 'How deep.' },
      parts: { items: { properties: { name: { type: 'string' } }, required: ['name'] } },
    })
    expect(JSON.stringify(offered)).not.toMatch(/minimum|see/)
  })

  test('the schema for a model without defaults that are false or empty, except for tools of MCP servers', () => {
    const schema = z.object({ all: z.boolean().default(false), from: z.array(z.string()).min(1).default([]) })
    const own = defineTool({
      name: 'look',
      title: 'Look',
      description: 'Looks.',
      risk: 'read',
      schema: () => schema,
      examples: [],
      run: () => Promise.resolve({ text: '' }),
    })
    const parameters = { type: 'object', properties: { depth: { type: 'integer', minimum: 1, default: false } } }
    expect(chatTools([own, { ...own, parameters }]).map((each) => each.parameters)).toEqual([
      { type: 'object', properties: { all: { type: 'boolean' }, from: { type: 'array', items: { type: 'string' } } } },
      parameters,
    ])
  })

  test('identical bytes every time', () => {
    expect(JSON.stringify(toolInfo(tool))).toBe(JSON.stringify(toolInfo(tool)))
  })

  test('a text prompt with one line per tool and the format of a call', () => {
    const prompt = textPrompt(chatTools([tool]))
    expect(prompt).toContain(
      '- look: Looks at things. Not more. Args: {"path": string, "depth"?: integer = 2, "how"?: "near" | "far", ' +
        '"parts"?: [{"name": string, "tags"?: object}, …], "default"?: "maximum"}\n',
    )
    expect(prompt).toMatch(/<tool_call>\n\{"name": "tool_name", "arguments": \{…\}\}\n<\/tool_call>$/)
  })

  test('a page with risk, modes, parameters, aliases and an example', () => {
    const page = toolDocs([
      { title: 'Blade', tools: [tool] },
      { title: 'Rusty', tools: [] },
    ])
    expect(page).toContain('| execute | needs approval | needs approval | needs approval | allowed | refused |')
    expect(page).toContain('| read-only | allowed | allowed | needs approval | allowed | allowed |')
    expect(page).toContain(
      '| [`look`](#look) | up to destructive | needs approval | allowed or needs approval | needs approval | allowed | refused | Looks at things. |',
    )
    expect(page).toContain('Aliases: `see`.')
    expect(page).toContain('| `path` | string | yes |  |  | `file` | Where \\| when. |')
    expect(page).toContain('| `depth` | integer | no | `2` | from 1 |  | How deep. |')
    expect(page).toContain('```json\n{\n  "path": "a"\n}\n```')
    expect(page).not.toContain('Rusty')
  })
})
