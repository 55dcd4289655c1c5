import { z } from 'zod'
import type { JsonSchema } from '../../shared/tool.ts'
import type { McpTool } from '../mcp/mcpTool.ts'
import { isObject } from './schema/toolSchema.ts'
import type { Tool } from './tool.ts'

/**
 * A server's tool as the executor runs it. A model is offered the server's own schema; the arguments are parsed by what zod makes
 * of it.
 */
export function mcpTool(tool: McpTool): Tool {
  return {
    name: tool.name,
    // Not the title that the server gave: what is asked must be what is called.
    title: `${tool.server}: ${tool.tool}`,
    description: tool.description,
    risk: tool.risk,
    server: tool.server,
    schema: argumentsSchema(tool.schema),
    parameters: tool.schema,
    async run(args, { signal, progress }) {
      const { text, json, pictures } = await tool.call(args, {
        signal,
        progress: (told) => progress({ kind: 'text', text: told }),
      })
      return {
        text,
        ...(json && { format: 'json' }),
        ...(pictures.length > 0 && { view: { kind: 'pictures', pictures } }),
      }
    },
  }
}

/**
 * What checks and coerces arguments before the server does. Names that the schema does not list are refused like any tool's, unless
 * it says that others may come. Of a schema zod cannot read (conditions, references elsewhere) only the names are checked.
 */
export function argumentsSchema(schema: JsonSchema): z.ZodObject {
  const named = isObject(schema.properties)
  const closed =
    named && schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema
  try {
    // Made of JSON by the server's own words; zod throws at what is no schema.
    const converted = z.fromJSONSchema(withoutPatterns(closed) as Parameters<typeof z.fromJSONSchema>[0])
    if (converted instanceof z.ZodObject) return converted
  } catch {
    // Not every JSON Schema can be a zod schema; the server checks all the same.
  }
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  return z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])))
}

/**
 * Regular expressions in a schema are the server's and would run here, and one of the slow kind would stop everything else: they
 * are left to the server. What stands under `properties` are names and not keywords.
 */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'pattern' || key === 'patternProperties' || key === 'propertyNames') return []
      if ((key === 'properties' || key === '$defs' || key === 'definitions') && isObject(value)) {
        return [[key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutPatterns(inner)]))]]
      }
      return [
        [
          key,
          key === 'enum' || key === 'const' || key === 'default' || key === 'examples' ? value : withoutPatterns(value),
        ],
      ]
    }),
  )
}
