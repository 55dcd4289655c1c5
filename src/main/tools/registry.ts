import { ToolError } from '../../shared/errors.ts'
import { toolsetNames, type ToolsetName } from '../../shared/risk.ts'
import type { DisabledReason } from '../../shared/tool.ts'
import { nearest } from './arguments/nearestName.ts'
import type { Tool } from './tool.ts'
import type { Toolset } from './toolset.ts'

export interface Registry {
  toolset(name: ToolsetName): Toolset
  /** What is offered with a toolset and not switched off: its own tools, then the common ones, always in the same order. */
  tools(toolset: ToolsetName): readonly Tool[]
  /** Every tool of a toolset in the same order, those that are switched off among them. For windows, which show why. */
  all(toolset: ToolsetName): readonly { tool: Tool; off: DisabledReason | undefined }[]
  /** A tool by its main name or an alias. Throws `unknown_tool` with the nearest names, and `switched_off`. */
  find(toolset: ToolsetName, name: string): Tool
  /** The same among the toolset's own tools alone. */
  findOwn(toolset: ToolsetName, name: string): Tool
}

/**
 * All toolsets by name.
 * @param common tools that stand beside every toolset: Tizona's own and those of MCP servers. Asked anew each time, for they come
 * and go; a toolset's own tool of the same name comes first
 * @param whyOff asked anew each time as well, for the user changes it in the settings
 * Throws when two tools of one toolset share a name: that is a mistake in the code.
 */
export function createRegistry(
  toolsets: readonly Toolset[],
  common: () => readonly Tool[] = () => [],
  whyOff: (toolset: ToolsetName, tool: Tool) => DisabledReason | undefined = () => undefined,
): Registry {
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
    if (off) throw new ToolError('switched_off', offWords[off].message(tool.name), offWords[off].next)
    if (tool) return tool
    const known = [...toolset.tools, ...beside].filter((other) => whyOff(toolsetName, other) === undefined)
    const close = nearest(
      name,
      known.flatMap((other) => [other.name, ...(other.aliases ?? [])]),
    )
    throw new ToolError(
      'unknown_tool',
      `The toolset "${toolsetName}" has no tool "${name}".`,
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
    findOwn: (toolset, name) => find(toolset, name, []),
  }
}

const offWords: Readonly<Record<DisabledReason, { message(tool: string): string; next: string }>> = {
  settings: {
    message: (tool) => `The tool ${tool} is turned off in the settings. Call not run.`,
    next: 'Use another tool. Only the user can turn it on, in Settings under Tools.',
  },
  web: {
    message: (tool) => `The user turned off web access, so ${tool} was not run.`,
    next: 'Continue without it. Only the user can turn it on, in Settings under Web.',
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
