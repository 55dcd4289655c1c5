import type { PromptProfile } from '../../shared/promptProfile.ts'
import type { JsonSchema } from '../../shared/tool.ts'
import type { ChatTool } from '../model/clients/modelClient.ts'
import { chatTools, firstSentence, isObject, offeredParameters } from './schema/toolSchema.ts'
import type { Tool } from './tool.ts'
import type { CoreTool, Toolset } from './toolset.ts'

/**
 * Tools as a profile offers them to a model. What is not offered still runs when it is called by name.
 * - `full`: all of them, whole.
 * - `medium`: the core and what a coding task needs most beside it, in first sentences; common tools likewise.
 * - `compact`: the toolset's core with what it keeps of the optional parameters, first sentences only; common tools likewise.
 * - `minimal`: the smallest part of the core, parameters without a word of description. No common tools.
 * @param tools what is offered with the toolset and not switched off; their order is kept
 */
export function offeredTools(toolset: Toolset, tools: readonly Tool[], profile: PromptProfile): ChatTool[] {
  if (profile === 'full') return chatTools(tools)
  const own = new Set(toolset.tools)
  return tools.flatMap((tool) => {
    if (!own.has(tool))
      return profile !== 'minimal'
        ? [{ ...described(tool), parameters: terse(offeredParameters(tool), 'compact') }]
        : []
    const core = (profile === 'medium' ? toolset.medium?.[tool.name] : undefined) ?? toolset.core?.[tool.name]
    if (!core || (profile === 'minimal' && !core.minimal)) return []
    return [{ ...described(tool, core), parameters: terse(kept(offeredParameters(tool), core), profile) }]
  })
}

function described(tool: Tool, core?: CoreTool): { name: string; description: string } {
  return { name: tool.name, description: core?.brief ?? firstSentence(tool.description) }
}

/** The required parameters and those that the core keeps. */
function kept(schema: JsonSchema, core: CoreTool): JsonSchema {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = [...(Array.isArray(schema.required) ? schema.required : []), ...(core.required ?? [])]
  const wanted = new Set([...required, ...(core.optional ?? [])])
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => wanted.has(name))),
    ...(required.length > 0 && { required }),
  }
}

/** Without bounds, which the executor checks anyway, and with no more than a sentence for a parameter; `minimal` has not even that. */
function terse(schema: JsonSchema, profile: Exclude<PromptProfile, 'full'>): JsonSchema {
  const short: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || (profile === 'minimal' && key === 'default')) continue
    if (key === 'description') {
      if (profile !== 'minimal' && typeof value === 'string') short[key] = firstSentence(value)
    } else if (key === 'properties' && isObject(value)) {
      const members = Object.entries(value).map(([name, member]) => [
        name,
        isObject(member) ? terse(member, profile) : member,
      ])
      short[key] = Object.fromEntries(members)
    } else short[key] = key === 'items' && isObject(value) ? terse(value, profile) : value
  }
  return short
}

const dropped = new Set([
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
