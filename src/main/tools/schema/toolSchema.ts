import { z } from 'zod'
import type { JsonSchema, ToolInfo, DisabledReason } from '../../../shared/tools/tool.ts'
import type { ChatTool } from '../../model/modelClient.ts'
import { grammarSafeSchema } from './grammarSafe.ts'
import type { Tool } from '../common/toolDefinition.ts'

// Schemas, signatures and prompts derived from tool definitions, in the order of the definitions. The same tools give
// the same bytes, so that model servers can reuse cached prompt prefixes.

/**
 * Returns a tool's parameters as JSON Schema (draft 2020-12) for input: a parameter with a default is not required.
 * Omits what only costs tokens: `$schema`, `additionalProperties: false`, and zod's safe-integer bounds.
 */
export function parametersSchema(tool: Tool): JsonSchema {
  if (tool.parameters) return tool.parameters
  const schema: unknown = z.toJSONSchema(tool.schema, { io: 'input', reused: 'inline' })
  const clean = withoutNoise(schema)
  if (!isObject(clean)) throw new Error(`The schema of ${tool.name} is no object.`)
  return tool.unlistedParameters ? without(clean, tool.unlistedParameters) : clean
}

function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const properties = isObject(schema.properties)
    ? Object.entries(schema.properties).filter(([name]) => !names.includes(name))
    : []
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Returns a tool for windows, models and documents. @param off why the tool is turned off, if it is */
export function toolInfo(tool: Tool, off?: DisabledReason): ToolInfo {
  return {
    name: tool.name,
    aliases: [...(tool.aliases ?? [])],
    title: tool.title,
    description: tool.description,
    risk: tool.risk,
    ...(tool.effect && { effect: tool.effect }),
    ...(off && { off }),
    ...(tool.asksModel && { asksModel: true }),
    schema: parametersSchema(tool),
    ...(tool.server !== undefined && { server: tool.server }),
    parameterAliases: { ...tool.parameterAliases },
  }
}

/** Schemas of `offeredParameters`. A tool does not change, and deriving the schemas of a toolset takes milliseconds. */
const offered = new WeakMap<Tool, JsonSchema>()

/**
 * Returns a tool's parameters as a schema that the grammar compilers of model servers accept. Keeps the descriptions
 * and defaults of MCP tools. Returns the same object for the same tool; it must not be modified.
 */
export function offeredParameters(tool: Tool): JsonSchema {
  const known = offered.get(tool)
  if (known) return known
  const safe = grammarSafeSchema(parametersSchema(tool))
  const schema = tool.parameters ? safe : withoutImplied(safe)
  rememberParameters(tool, schema)
  return schema
}

/** Sets the schema that `offeredParameters` returns for a tool. */
export function rememberParameters(tool: Tool, schema: JsonSchema): void {
  offered.set(tool, schema)
}

const bounds = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])

/**
 * Removes redundant parts that cost tokens in each request: bounds, which the executor checks and descriptions mention
 * where they matter, and defaults that are false or empty.
 */
function withoutImplied(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([key, value]) => !bounds.has(key) && !(key === 'default' && (value === false || String(value) === '')),
  )
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === 'properties' && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, impliedIn(each)]))]
      return [key, key === 'items' ? impliedIn(value) : value]
    }),
  )
}

const impliedIn = (value: unknown): unknown => (isObject(value) ? withoutImplied(value) : value)

/** Returns a tool's parameters like `offeredParameters`, with their bounds. */
export function boundedParameters(tool: Tool): JsonSchema {
  return grammarSafeSchema(parametersSchema(tool))
}

/** Returns tools as offered to a model, without aliases. */
export function chatTools(tools: readonly Tool[]): ChatTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: offeredParameters(tool),
    bounded: () => boundedParameters(tool),
  }))
}

/**
 * Describes tools in the system prompt for models without native tool calls, in the `<tool_call>` convention of Blade's
 * document ("Adding Tools to Your AI System Prompt"), one line per tool.
 */
export function textPrompt(tools: readonly ChatTool[]): string {
  return [
    'You have these tools ("?" marks an optional argument, "=" its default):',
    ...tools.map((tool) => `- ${tool.name}: ${tool.description} Args: ${typeText(tool.parameters)}`),
    '',
    'To use a tool, answer only with:',
    '<tool_call>',
    '{"name": "tool_name", "arguments": {…}}',
    '</tool_call>',
  ].join('\n')
}

/** Returns a tool's parameters in one line, e.g. `{"path": string, "line"?: integer = 1}`. */
export function signature(tool: Tool): string {
  return typeText(parametersSchema(tool))
}

/** Formats a JSON Schema for a signature. */
export function typeText(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isObject).map(typeText).join(' | ')
  if (schema.type === 'array') return isObject(schema.items) ? `[${typeText(schema.items)}, …]` : 'array'
  if (schema.type !== 'object') return typeof schema.type === 'string' ? schema.type : 'any'
  if (!isObject(schema.properties)) return 'object'
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(schema.properties).map(([name, value]) => {
    const field = isObject(value) ? value : {}
    const fallback = field.default === undefined ? '' : ` = ${JSON.stringify(field.default)}`
    return `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeText(field)}${fallback}`
  })
  return `{${fields.join(', ')}}`
}

/** Returns the first sentence, or the whole text if it has only one. */
export function firstSentence(text: string): string {
  return /^.*?(?<!\b(?:e\.g|i\.e))[.](?=\s|$)/s.exec(text)?.[0] ?? text
}

/** Returns whether a value is a JSON object, not a list. */
export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Cleans schemas only: values under `default` and `enum` are data, and keys under `properties` are names. */
function withoutNoise(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isNoise(key, value))
      .map(([key, value]) => [key, cleanMember(key, value)]),
  )
}

function cleanMember(key: string, value: unknown): unknown {
  if (key === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withoutNoise(schema)]))
  }
  if (key === 'items' || key === 'additionalProperties') return withoutNoise(value)
  if ((key === 'anyOf' || key === 'allOf' || key === 'oneOf') && Array.isArray(value)) return value.map(withoutNoise)
  return value
}

function isNoise(key: string, value: unknown): boolean {
  if (key === '$schema' || key === 'propertyNames') return true
  if (key === 'additionalProperties') return value === false
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}
