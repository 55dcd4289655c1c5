import { ToolError } from '../../shared/errors.ts'
import { toolsetNames, type ToolsetName } from '../../shared/tools/risk.ts'
import type { DisabledReason } from '../../shared/tools/tool.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import { nearestNames } from './arguments/nearestName.ts'
import type { Tool, Toolset } from './common/toolDefinition.ts'

/** Finds tools by toolset and name. */
export interface ToolRegistry {
  toolset(name: ToolsetName): Toolset
  /** Returns the enabled tools: the toolset's own, then the common ones, in a constant order. */
  tools(toolset: ToolsetName): readonly Tool[]
  /** Same, including tools that are turned off, with the reasons. For the window. */
  all(toolset: ToolsetName): readonly { tool: Tool; off: DisabledReason | undefined }[]
  /** Finds a tool by name or alias. @throws ToolError unknown_tool with the nearest names, switched_off */
  find(toolset: ToolsetName, name: string): Tool
  /** Like `find`, without common tools that are not for clients. */
  findOwn(toolset: ToolsetName, name: string): Tool
}

/**
 * Creates the registry of all toolsets. Throws if two tools of a toolset share a name.
 * @param common returns the tools offered with each toolset: Tizona's own and MCP servers' tools. Called for each
 *   lookup, because servers start and stop. A toolset's own tool of the same name has priority.
 * @param whyOff returns why a tool is turned off. Called for each lookup, because settings change.
 */
export function createToolRegistry(
  toolsets: readonly Toolset[],
  common: () => readonly Tool[] = () => [],
  whyOff: (toolset: ToolsetName, tool: Tool) => DisabledReason | undefined = () => undefined,
): ToolRegistry {
  const byName = new Map(toolsets.map((toolset) => [toolset.name, { toolset, tools: indexTools(toolset) }]))

  function entry(name: ToolsetName) {
    const found = byName.get(name)
    if (!found) throw new Error(`The toolset "${name}" is not registered (of ${toolsetNames.join(', ')}).`)
    return found
  }

  function all(name: ToolsetName): Tool[] {
    const { toolset, tools } = entry(name)
    return [...toolset.tools, ...common().filter((tool) => !tools.has(tool.name))]
  }
  const offered = (name: ToolsetName): Tool[] => all(name).filter((tool) => whyOff(name, tool) === undefined)

  function find(toolsetName: ToolsetName, name: string, beside: readonly Tool[]): Tool {
    const { toolset, tools } = entry(toolsetName)
    const tool = tools.get(name) ?? beside.find((other) => other.name === name || other.aliases?.includes(name))
    const off = tool && whyOff(toolsetName, tool)
    if (off) throw new ToolError('switched_off', offMessages[off].message(tool.name), offMessages[off].next)
    if (tool) return tool
    const known = [...toolset.tools, ...beside].filter((other) => whyOff(toolsetName, other) === undefined)
    const close = nearestNames(
      name,
      known.flatMap((other) => [other.name, ...(other.aliases ?? [])]),
    )
    throw new ToolError(
      'unknown_tool',
      `The toolset ${toolsetLabels[toolsetName]} has no tool "${name}".`,
      close.length > 0
        ? `Did you mean ${close.join(' or ')}?`
        : `Available tools: ${[...new Set(known.map((other) => other.name))].join(', ')}.`,
    )
  }

  return {
    toolset: (name) => entry(name).toolset,
    tools: offered,
    all: (name) => all(name).map((tool) => ({ tool, off: whyOff(name, tool) })),
    find: (toolset, name) => find(toolset, name, common()),
    findOwn: (toolset, name) =>
      find(
        toolset,
        name,
        common().filter(({ forClients }) => forClients),
      ),
  }
}

const offMessages: Readonly<Record<DisabledReason, { message(tool: string): string; next: string }>> = {
  settings: {
    message: (tool) => `The tool ${tool} is turned off in the settings. Call not run.`,
    next: 'Use another tool. Only the user can turn it on, in Settings under Tools.',
  },
  web: {
    message: (tool) => `The user turned off web access, so ${tool} was not run.`,
    next: 'Continue without it. Only the user can turn it on, in Settings under Web.',
  },
  trust: {
    message: (tool) => `The user has not trusted this folder, so ${tool} was not run.`,
    next: 'Continue without running programs. Only the user can trust the folder.',
  },
}

function indexTools(toolset: Toolset): Map<string, Tool> {
  const index = new Map<string, Tool>()
  for (const tool of toolset.tools) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      if (index.has(name)) throw new Error(`Two tools of the toolset "${toolset.name}" have the name "${name}".`)
      index.set(name, tool)
    }
  }
  return index
}
