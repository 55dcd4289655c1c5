import { z } from 'zod'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import type { McpTool } from '../mcp/mcpTool.ts'
import { isObject } from './schema/toolSchema.ts'
import type { Tool } from './common/toolDefinition.ts'

/**
 * Wraps an MCP tool for the executor. Models get the server's schema; arguments are parsed by the zod schema derived
 * from it.
 */
export function adaptMcpTool(tool: McpTool): Tool {
  return {
    name: tool.name,
    // Not the server's title, because the approval must show the tool that is called.
    title: `${tool.server}: ${tool.tool}`,
    description: tool.description,
    risk: tool.risk,
    server: tool.server,
    schema: argumentsSchema(tool.schema),
    parameters: tool.schema,
    async run(args, { signal, progress }) {
      const { text, json, pictures } = await tool.call(args, {
        signal,
        progress: (message) => progress({ kind: 'text', text: message }),
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
 * Returns a zod schema that validates and coerces arguments before they are sent. Unknown names are refused unless the
 * server's schema allows them. If zod cannot convert the schema (conditions, external references), only names are
 * checked.
 */
function argumentsSchema(schema: JsonSchema): z.ZodObject {
  const named = isObject(schema.properties)
  const closed =
    named && schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema
  try {
    // The schema is unchecked JSON from the server; zod throws if it is invalid.
    const converted = z.fromJSONSchema(withoutPatterns(closed) as Parameters<typeof z.fromJSONSchema>[0])
    if (converted instanceof z.ZodObject) return converted
  } catch {
    // Not every JSON Schema can be converted; the server validates anyway.
  }
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  return z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])))
}

/**
 * Removes regular expressions from a schema, because a slow one from the server would block this process. The server
 * checks them anyway. Keys under `properties` are names, not keywords.
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
