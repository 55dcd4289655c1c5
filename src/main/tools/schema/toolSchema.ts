import { z } from 'zod'
import type { JsonSchema, ToolInfo, ToolOff } from '../../../shared/tool.ts'
import type { ChatTool } from '../../model/clients/modelClient.ts'
import { grammarSafe } from './grammarSafe.ts'
import type { Tool } from '../tool.ts'

// Everything that is told about a tool derives from its one definition. The order is that of the definition, so that the same
// tools always give the same bytes: model servers reuse what they computed for a prompt that begins alike.

/**
 * A tool's parameters as JSON Schema (draft 2020-12), as a caller writes them: a parameter with a default is not required.
 * Without what only costs a model's window: `$schema`, `additionalProperties: false`, and zod's safe-integer bounds.
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

/** A tool as windows, models and documents see it. @param off why it is switched off, where it is */
export function toolInfo(tool: Tool, off?: ToolOff): ToolInfo {
  return {
    name: tool.name,
    aliases: [...(tool.aliases ?? [])],
    title: tool.title,
    description: tool.description,
    risk: tool.risk,
    ...(tool.effect && { effect: tool.effect }),
    ...(off && { off }),
    schema: parametersSchema(tool),
    ...(tool.server !== undefined && { server: tool.server }),
    parameterAliases: { ...tool.parameterAliases },
  }
}

/** A tool's parameters as a model is offered them: what the grammar compilers of model servers take. */
export function offeredParameters(tool: Tool): JsonSchema {
  return grammarSafe(parametersSchema(tool))
}

/** Tools as they are offered to a model: main names only. */
export function chatTools(tools: readonly Tool[]): ChatTool[] {
  return tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: offeredParameters(tool) }))
}

/** The `tools` field of an OpenAI-compatible chat request. */
export function openAiTools(tools: readonly ToolInfo[]): { type: 'function'; function: ChatTool }[] {
  return tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: grammarSafe(tool.schema) },
  }))
}

/**
 * Tools for the system prompt of a model that cannot call them natively, in the `<tool_call>` convention of Blade's document
 * ("Adding Tools to Your AI System Prompt"). One line a tool.
 */
export function textPrompt(tools: readonly ChatTool[]): string {
  return [
    'You have these tools ("?" marks what may be left out, "=" its default):',
    ...tools.map((tool) => `- ${tool.name}: ${tool.description} Args: ${typeText(tool.parameters)}`),
    '',
    'To use a tool, answer with nothing after:',
    '<tool_call>',
    '{"name": "tool_name", "arguments": {…}}',
    '</tool_call>',
  ].join('\n')
}

/** A tool's parameters in one line, e.g. `{"path": string, "line"?: integer = 1}`. */
export function signature(tool: Tool): string {
  return typeText(parametersSchema(tool))
}

/** A JSON Schema in short words, as a signature shows it. */
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

/** Up to the first full stop that ends a sentence; the whole text where there is none. */
export function firstSentence(text: string): string {
  return /^.*?(?<!\b(?:e\.g|i\.e))[.](?=\s|$)/s.exec(text)?.[0] ?? text
}

export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Cleans schemas only: what stands under `default` or `enum` is data, and under `properties` the keys are names. */
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
