import { readFileSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolsetNames } from '../../shared/tools/risk.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { parseArguments } from './arguments/coerceArguments.ts'
import { createToolRegistry } from './toolRegistry.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { chatTools, isObject, parametersSchema } from './schema/toolSchema.ts'
import type { Tool, Toolset } from './common/toolDefinition.ts'
import { truncateBlade } from './blade/bladeTruncation.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

// Compares the registry with e2e/fixtures/reference.json: no tool of the reference systems is missing, and none is
// added without a reason. Properties of every entry (types, aliases, defaults, caps) are tested here. The effects of
// parameters are tested in the tests beside the tools, and the last section finds parameters that no test uses.

const root = fileURLToPath(new URL('../../../', import.meta.url))

const names = z.array(z.string()).default([])
const parameterSchema = z.strictObject({
  type: z.string(),
  required: z.union([z.boolean(), z.literal('conditional')]),
  default: z.json().optional(),
  defaultText: z.string().optional(),
  minimum: z.number().optional(),
  cap: z.number().optional(),
  unit: z.string().optional(),
  enum: names,
  aliases: names,
  condition: z.string().optional(),
  source: names,
  aliasSource: names,
  defaultSource: names,
  get items() {
    return z.record(z.string(), parameterSchema).optional()
  },
})
const toolSchema = z.strictObject({
  source: z.array(z.string()).min(1),
  issue: z.literal('pending').optional(),
  risk: z.string().optional(),
  toolAliases: names,
  parameters: z.record(z.string(), parameterSchema),
  examples: z.array(z.record(z.string(), z.json())),
  returns: names,
  behaviour: names,
  differs: z.string().optional(),
  caps: z.record(z.string(), z.number()).optional(),
  input: z.string().optional(),
  inputExample: z.string().optional(),
})
const reasons = z.record(z.string(), z.string().min(10)).default({})
const systemSchema = z.strictObject({
  title: z.string(),
  /** Number of names in the documents, including aliases of tools. */
  names: z.number(),
  documents: z.record(z.string(), z.string()),
  caps: z.record(z.string(), z.number()).optional(),
  tools: z.record(z.string(), toolSchema),
  additions: z
    .strictObject({ tools: reasons, parameters: reasons, aliases: reasons, defaults: reasons })
    .default({ tools: {}, parameters: {}, aliases: {}, defaults: {} }),
})
const { systems } = z
  .object({ systems: z.record(z.enum(toolsetNames), systemSchema) })
  .parse(JSON.parse(readFileSync(`${root}e2e/fixtures/reference.json`, 'utf8')))

/** The implemented toolsets. A new one is added here, and its "pending" marks are removed. */
const built: readonly Toolset[] = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const registry = createToolRegistry(built)

type Parameter = z.output<typeof parameterSchema>

const property = (schema: JsonSchema, name: string): JsonSchema => {
  const found = isObject(schema.properties) ? schema.properties[name] : undefined
  return isObject(found) ? found : {}
}
const isRequired = (schema: JsonSchema, name: string) =>
  Array.isArray(schema.required) && schema.required.includes(name)
const typeOf = (schema: JsonSchema): string =>
  schema.type === 'array' && isObject(schema.items) ? `array<${typeOf(schema.items)}>` : String(schema.type)

function sample(schema: JsonSchema): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'integer') return typeof schema.minimum === 'number' ? Math.max(schema.minimum, 3) : 3
  if (schema.type === 'boolean') return schema.default !== true
  if (schema.type === 'array') return isObject(schema.items) ? [sample(schema.items)] : []
  if (schema.type !== 'object') return 'text'
  return Object.fromEntries(
    Object.keys(isObject(schema.properties) ? schema.properties : {}).map((name) => [
      name,
      sample(property(schema, name)),
    ]),
  )
}

/** A minimal call with one parameter under any of its names. */
function callWith(tool: Tool, name: string, value: unknown): Record<string, unknown> {
  const schema = parametersSchema(tool)
  const main = tool.parameterAliases?.[name] ?? name
  const needed = Object.keys(tool.schema.shape).filter((other) => other !== main && isRequired(schema, other))
  return { ...Object.fromEntries(needed.map((other) => [other, sample(property(schema, other))])), [name]: value }
}

const aliasesOf = (tool: Tool, name: string) =>
  Object.entries(tool.parameterAliases ?? {})
    .filter(([, main]) => main === name)
    .map(([alias]) => alias)

test.each(Object.entries(systems))('the reference of %s is complete', (_, system) => {
  const count = Object.values(system.tools).reduce((sum, tool) => sum + 1 + tool.toolAliases.length, 0)
  expect(count).toBe(system.names)
  for (const tool of Object.values(system.tools))
    expect(Object.keys(system.documents)).toEqual(expect.arrayContaining(tool.source))
})

test('all tools of a system that is not implemented are pending', () => {
  const notBuilt = toolsetNames.filter((name) => built.every((toolset) => toolset.name !== name))
  for (const name of notBuilt) {
    expect(
      Object.entries(systems[name].tools)
        .filter(([, tool]) => tool.issue === undefined)
        .map(([tool]) => tool),
      name,
    ).toEqual([])
  }
})

describe.each(built)('$title', (toolset) => {
  const system = systems[toolset.name]
  const now = Object.entries(system.tools).filter(([, tool]) => tool.issue === undefined)

  test('has every tool of the reference except pending ones, and no other without a reason', () => {
    const expected = [...now.map(([name]) => name), ...Object.keys(system.additions.tools)]
    expect(toolset.tools.map((tool) => tool.name).toSorted()).toEqual(expected.toSorted())
  })

  test('has everything listed under additions', () => {
    const there = (entry: string) => {
      const [tool = '', parameter = '', alias] = entry.split('.')
      const found = toolset.tools.find((other) => other.name === tool)
      return (
        found !== undefined &&
        parameter in found.schema.shape &&
        (alias === undefined || aliasesOf(found, parameter).includes(alias))
      )
    }
    const { parameters, aliases, defaults } = system.additions
    expect(Object.keys({ ...parameters, ...aliases, ...defaults }).filter((entry) => !there(entry))).toEqual([])
    const hasDefault = (entry: string) => {
      const [tool = '', parameter = ''] = entry.split('.')
      return (
        property(parametersSchema(registry.find(toolset.name, tool)), parameter).default !== undefined &&
        system.tools[tool]?.parameters[parameter]?.default === undefined
      )
    }
    expect(Object.keys(defaults).filter((entry) => !hasDefault(entry))).toEqual([])
  })

  test('sends only main names to a model', () => {
    const aliases = toolset.tools.flatMap((tool) => tool.aliases ?? [])
    expect(chatTools(toolset.tools).filter((tool) => aliases.includes(tool.name))).toEqual([])
  })

  describe.each(now)('%s', (name, reference) => {
    const tool = registry.find(toolset.name, name)
    const schema = parametersSchema(tool)
    const parameters = Object.entries(reference.parameters)

    test('is found by each of its names', () => {
      expect(tool.name).toBe(name)
      expect([...(tool.aliases ?? [])].toSorted()).toEqual(reference.toolAliases.toSorted())
      for (const alias of reference.toolAliases) expect(registry.find(toolset.name, alias)).toBe(tool)
    })

    test('has every parameter, and no other without a reason', () => {
      const added = Object.keys(tool.schema.shape).filter(
        (parameter) => `${name}.${parameter}` in system.additions.parameters,
      )
      expect(Object.keys(tool.schema.shape).toSorted()).toEqual(
        [...parameters.map(([parameter]) => parameter), ...added].toSorted(),
      )
    })

    test('accepts the examples of the documents and its own', () => {
      for (const example of [...reference.examples, ...(tool.examples ?? [])]) {
        expect(parseArguments(tool, example)).toMatchObject(example)
        expect(parseArguments(tool, JSON.stringify(example))).toMatchObject(example)
      }
    })

    test('describes every parameter', () => {
      const offered = Object.keys(tool.schema.shape).filter(
        (parameter) => !tool.unlistedParameters?.includes(parameter),
      )
      expect(offered.filter((parameter) => typeof property(schema, parameter).description !== 'string')).toEqual([])
    })

    if (parameters.length > 0) {
      describe.each(parameters)('%s', (parameter, expected) =>
        checkParameter(tool, parameter, expected, system.additions),
      )
    }
  })
})

function checkParameter(
  tool: Tool,
  name: string,
  expected: Parameter,
  additions: { aliases: Record<string, string>; defaults: Record<string, string> },
): void {
  const schema = parametersSchema(tool)
  const field = property(schema, name)
  const entry = `${tool.name}.${name}`

  test('has the type of the reference, and is required as in the reference', () => {
    expect(typeOf(field)).toBe(expected.type)
    expect(isRequired(schema, name)).toBe(expected.required === true)
    expect(field.enum ?? []).toEqual(expected.enum)
    if (expected.required === true) {
      const without = Object.fromEntries(Object.entries(callWith(tool, name, 'text')).filter(([key]) => key !== name))
      expect(() => parseArguments(tool, without)).toThrow(
        expect.objectContaining({
          code: 'invalid_arguments',
          message: expect.stringContaining(`"${name}" is missing`),
        }),
      )
    }
  })

  test('refuses another type with the name of the parameter', () => {
    // A text in place of a list would become a list with one item.
    const wrong = expected.type === 'string' ? ['text'] : expected.type.startsWith('array') ? 7 : 'no such value'
    expect(() => parseArguments(tool, callWith(tool, name, wrong))).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', message: expect.stringContaining(`"${name}`) }),
    )
  })

  test('is accepted under each of its names', () => {
    const added = Object.keys(additions.aliases)
      .filter((key) => key.startsWith(`${entry}.`))
      .map((key) => key.slice(entry.length + 1))
    expect(aliasesOf(tool, name).toSorted()).toEqual([...expected.aliases, ...added].toSorted())
    const value = sample(field)
    const parsed = parseArguments(tool, callWith(tool, name, value))
    expect(parsed[name]).toEqual(value)
    for (const alias of expected.aliases)
      expect(parseArguments(tool, callWith(tool, alias, value)), alias).toEqual(parsed)
  })

  if (expected.required === false) {
    test('has its default, and no other without a reason', () => {
      const parsed = parseArguments(tool, withoutParameter(tool, name))
      if (expected.default !== undefined) expect(parsed[name]).toEqual(expected.default)
      else if (!(entry in additions.defaults)) expect(parsed[name]).toBeUndefined()
    })
  }

  if (expected.minimum !== undefined) {
    test('is refused below its minimum', () => {
      expect(() => parseArguments(tool, callWith(tool, name, (expected.minimum ?? 0) - 1))).toThrow(
        expect.objectContaining({ code: 'invalid_arguments' }),
      )
    })
  }

  if (expected.cap !== undefined) {
    test('describes its cap, and accepts a larger number', () => {
      // The tool itself lowers the number and adds a note, which its own tests check.
      expect(String(field.description).replaceAll(',', '')).toContain(String(expected.cap))
      expect(parseArguments(tool, callWith(tool, name, (expected.cap ?? 0) + 1))).toHaveProperty(name)
    })
  }

  if (expected.items) {
    const { items } = expected
    test('has the fields of the reference in its items', () => {
      const item = isObject(field.items) ? field.items : {}
      expect(Object.keys(isObject(item.properties) ? item.properties : {}).toSorted()).toEqual(
        Object.keys(items).toSorted(),
      )
      for (const [inner, reference] of Object.entries(items)) {
        expect(typeOf(property(item, inner)), inner).toBe(reference.type)
        expect(isRequired(item, inner), inner).toBe(reference.required)
      }
    })
  }
}

function withoutParameter(tool: Tool, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(callWith(tool, name, null)).filter(([key]) => key !== name))
}

test('results are truncated at the caps of the reference', () => {
  const { result_bytes = 0, result_lines = 0, head_lines = 0, tail_lines = 0 } = systems.blade.caps ?? {}
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
  expect(truncateBlade({ text: lines(result_lines).join('\n') }).truncated).toBe(false)
  expect(truncateBlade({ text: 'x'.repeat(result_bytes) }).truncated).toBe(false)
  expect(truncateBlade({ text: 'x'.repeat(result_bytes + 1) }).truncated).toBe(true)
  const { text } = truncateBlade({ text: lines(result_lines + 1).join('\n') })
  expect(text.split('\n')).toHaveLength(head_lines + 1 + tail_lines)
})

describe('every tool and parameter is used by a test of its own', async () => {
  const files: string[] = []
  for await (const file of glob(['src/main/**/*.test.ts', 'e2e/**/*.spec.ts'], { cwd: root })) {
    if (!file.endsWith('reference.test.ts')) files.push(await readFile(`${root}${file}`, 'utf8'))
  }
  const word = (name: string) => new RegExp(`(?<![\\w.])${name}\\b`)

  test.each(built.flatMap((toolset) => [...toolset.tools]))('$name', (tool) => {
    const exported = tool.name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const own = files.filter((text) => word(exported).test(text) || word(tool.name).test(text))
    expect(own.length, `no test calls ${tool.name}`).toBeGreaterThan(0)
    expect(
      Object.keys(tool.schema.shape).filter((parameter) => !own.some((text) => word(parameter).test(text))),
      'parameters that no test of the tool uses',
    ).toEqual([])
  })
})
