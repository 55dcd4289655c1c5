import { ToolError } from '../../shared/errors.ts'
import { toolsetNames, type ToolsetName } from '../../shared/risk.ts'
import { nearest } from './nearest.ts'
import type { Tool } from './tool.ts'
import type { Toolset } from './toolset.ts'

export interface Registry {
  toolset(name: ToolsetName): Toolset
  /** What is offered with a toolset: its own tools, then the common ones, always in the same order. */
  tools(toolset: ToolsetName): readonly Tool[]
  /** A tool by its main name or an alias. Throws `unknown_tool` with the nearest names. */
  find(toolset: ToolsetName, name: string): Tool
}

/**
 * All toolsets by name.
 * @param common tools that stand beside every toolset: Tizona's own and those of MCP servers. Asked anew each time, for they come
 * and go; a toolset's own tool of the same name comes first
 * Throws when two tools of one toolset share a name: that is a mistake in the code.
 */
export function createRegistry(toolsets: readonly Toolset[], common: () => readonly Tool[] = () => []): Registry {
  const byName = new Map(toolsets.map((toolset) => [toolset.name, { toolset, tools: indexTools(toolset) }]))

  function entry(name: ToolsetName) {
    const found = byName.get(name)
    if (!found) throw new Error(`The toolset "${name}" is not registered (of ${toolsetNames.join(', ')}).`)
    return found
  }

  return {
    toolset: (name) => entry(name).toolset,
    tools(name) {
      const { toolset, tools } = entry(name)
      return [...toolset.tools, ...common().filter((tool) => !tools.has(tool.name))]
    },
    find(toolsetName, name) {
      const own = entry(toolsetName).tools
      const shared = common()
      const tool = own.get(name) ?? shared.find((other) => other.name === name || other.aliases?.includes(name))
      if (tool) return tool
      const tools = [...own.values(), ...shared]
      const close = nearest(name, [...own.keys(), ...shared.flatMap((other) => [other.name, ...(other.aliases ?? [])])])
      throw new ToolError(
        'unknown_tool',
        `There is no tool "${name}" in the toolset "${toolsetName}".`,
        close.length > 0 ? `Did you mean ${close.join(' or ')}?` : `The tools are: ${[...new Set(tools.map((other) => other.name))].join(', ')}.`,
      )
    },
  }
}

function indexTools(toolset: Toolset): Map<string, Tool> {
  const index = new Map<string, Tool>()
  for (const tool of toolset.tools) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      if (index.has(name)) throw new Error(`Two tools of the toolset "${toolset.name}" are called "${name}".`)
      index.set(name, tool)
    }
  }
  return index
}
