import type { PromptProfile } from '../../shared/promptProfile.ts'
import type { JsonSchema } from '../../shared/tool.ts'
import type { ChatTool } from '../model/clients/modelClient.ts'
import { boundedParameters, chatTools, firstSentence, isObject, offeredParameters } from './schema/toolSchema.ts'
import type { Tool } from './toolDefinition.ts'
import type { CoreTool, Toolset } from './toolset.ts'

/**
 * Returns the tools that a prompt profile offers to a model. Tools that are not offered can still be called by name.
 * - `full`: all tools with complete descriptions.
 * - `medium`: `core` and `medium` tools and common tools (but those with `fullProfileOnly`), with first sentences only.
 * - `compact`: `core` tools with selected optional parameters and common tools, with first sentences only.
 * - `minimal`: the `minimal` part of `core`, without parameter descriptions and common tools.
 * @param tools enabled tools of the toolset and common tools; the order is kept
 */
export function offeredTools(toolset: Toolset, tools: readonly Tool[], profile: PromptProfile): ChatTool[] {
  if (profile === 'full') return chatTools(tools)
  const own = new Set(toolset.tools)
  return tools.flatMap((tool) => {
    if (!own.has(tool))
      return profile !== 'minimal' && tool.fullProfileOnly !== true
        ? [
            {
              ...nameAndDescription(tool),
              parameters: simplifySchema(offeredParameters(tool), 'compact'),
              bounded: () => boundedParameters(tool),
            },
          ]
        : []
    const core = (profile === 'medium' ? toolset.medium?.[tool.name] : undefined) ?? toolset.core?.[tool.name]
    if (!core || (profile === 'minimal' && !core.minimal)) return []
    return [
      {
        ...nameAndDescription(tool, core),
        parameters: simplifySchema(selectParameters(offeredParameters(tool), core), profile),
        bounded: () => selectParameters(boundedParameters(tool), core),
      },
    ]
  })
}

function nameAndDescription(tool: Tool, core?: CoreTool): { name: string; description: string } {
  return { name: tool.name, description: core?.brief ?? firstSentence(tool.description) }
}

/** Returns a schema with only the required parameters and those selected in `core`. */
function selectParameters(schema: JsonSchema, core: CoreTool): JsonSchema {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = [...(Array.isArray(schema.required) ? schema.required : []), ...(core.required ?? [])]
  const wanted = new Set([...required, ...(core.optional ?? [])])
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => wanted.has(name))),
    ...(required.length > 0 && { required }),
  }
}

/**
 * Removes bounds, which the executor checks anyway, and shortens descriptions to one sentence. `minimal` has no
 * descriptions.
 */
function simplifySchema(schema: JsonSchema, profile: Exclude<PromptProfile, 'full'>): JsonSchema {
  const short: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (droppedKeywords.has(key) || (profile === 'minimal' && key === 'default')) continue
    if (key === 'description') {
      if (profile !== 'minimal' && typeof value === 'string') short[key] = firstSentence(value)
    } else if (key === 'properties' && isObject(value)) {
      const members = Object.entries(value).map(([name, member]) => [
        name,
        isObject(member) ? simplifySchema(member, profile) : member,
      ])
      short[key] = Object.fromEntries(members)
    } else short[key] = key === 'items' && isObject(value) ? simplifySchema(value, profile) : value
  }
  return short
}

const droppedKeywords = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'title',
])
