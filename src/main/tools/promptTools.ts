import { isLarger, type PromptProfile } from '../../shared/agent/promptProfile.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import type { ChatTool } from '../model/modelClient.ts'
import { boundedParameters, chatTools, firstSentence, isObject, offeredParameters } from './schema/toolSchema.ts'
import { findTools } from './tizona/findTools.ts'
import { finderTools } from './tizona/tizonaTools.ts'
import type { Tool, CoreTool, Toolset } from './common/toolDefinition.ts'

/** Maximum characters of the tools of MCP servers in a prompt of a smaller profile: about 500 tokens. */
const maxServerTools = 2000
/** Maximum number of unlisted tools of one MCP server that are named in the prompt. */
const maxServerNames = 12

/**
 * Returns the tools that a prompt profile offers to a model. Tools that are not offered can still be called by name.
 * - `full`: all tools with complete descriptions.
 * - `medium`: `core` and `medium` tools and common tools, with first sentences only.
 * - `compact`: `core` tools with selected optional parameters and common tools, with first sentences and no defaults.
 * - `minimal`: the `minimal` part of `core`, without parameter descriptions and common tools.
 *
 * All but `full` leave out the tools of MCP servers if they are many, and offer `find_tools` and `call_tool` for all
 * that they leave out.
 * @param tools enabled tools of the toolset and common tools; the order is kept
 */
export function offeredTools(toolset: Toolset, tools: readonly Tool[], profile: PromptProfile): ChatTool[] {
  const finders = tools.filter((tool) => finderTools.includes(tool))
  const others = tools.filter((tool) => !finderTools.includes(tool))
  if (profile === 'full') return chatTools(others)
  const own = new Set(toolset.tools)
  const offer = (tool: Tool) => (own.has(tool) ? coreTool(toolset, tool, profile) : commonTool(tool, profile))
  const offers = others.flatMap((tool) => {
    const offered = offer(tool)
    return offered ? [{ tool, offered }] : []
  })
  const serverTools = offers.filter(({ tool }) => tool.server !== undefined)
  const tooMany = JSON.stringify(serverTools.map(({ offered }) => offered)).length > maxServerTools
  const listed =
    finders.length === finderTools.length && tooMany ? offers.filter(({ tool }) => tool.server === undefined) : offers
  const names = new Set(listed.map(({ tool }) => tool))
  const unlisted = others.filter((tool) => !names.has(tool))
  return [
    ...listed.map(({ offered }) => offered),
    ...(unlisted.length === 0 || finders.length < finderTools.length
      ? []
      : offeredFinders(finders, profile === 'minimal' ? [] : unlisted)),
  ]
}

/** Returns the tools that find and call unlisted tools. @param named tools to name in the description */
function offeredFinders(finders: readonly Tool[], named: readonly Tool[]): ChatTool[] {
  return chatTools(finders).map((tool) => ({
    ...tool,
    parameters: simplifySchema(tool.parameters, 'minimal'),
    ...(tool.name === findTools.name &&
      named.length > 0 && {
        description: `${tool.description} There are: ${namesOf(named.filter(({ follows }) => follows === undefined))}.`,
      }),
  }))
}

/** Lists tools by name. For an MCP server with many tools, names only the server. */
function namesOf(tools: readonly Tool[]): string {
  const servers = Map.groupBy(tools, ({ server }) => server)
  return [...servers]
    .map(([server, own]) =>
      server !== undefined && own.length > maxServerNames
        ? `${own.length} of the server ${server}`
        : own.map(({ name }) => name).join(', '),
    )
    .join(', ')
}

function commonTool(tool: Tool, profile: Exclude<PromptProfile, 'full'>): ChatTool | undefined {
  if (isLarger(tool.smallestProfile ?? 'compact', profile)) return undefined
  return {
    ...nameAndDescription(tool),
    parameters: simplifySchema(offeredParameters(tool), profile),
    bounded: () => boundedParameters(tool),
  }
}

function coreTool(toolset: Toolset, tool: Tool, profile: Exclude<PromptProfile, 'full'>): ChatTool | undefined {
  const core = (profile === 'medium' ? toolset.medium?.[tool.name] : undefined) ?? toolset.core?.[tool.name]
  if (!core || (profile === 'minimal' && !core.minimal)) return undefined
  return {
    ...nameAndDescription(tool, core),
    parameters: simplifySchema(selectParameters(offeredParameters(tool), core), profile),
    bounded: () => selectParameters(boundedParameters(tool), core),
  }
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
    if (droppedKeywords.has(key) || (profile !== 'medium' && key === 'default')) continue
    if (key === 'description') {
      if (profile !== 'minimal' && typeof value === 'string' && !firstSentence(value).endsWith(impliedBySystem))
        short[key] = firstSentence(value)
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

/** Ends the descriptions of paths. Redundant, because the system prompt states it for all paths. */
const impliedBySystem = ', relative to the workspace.'

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
