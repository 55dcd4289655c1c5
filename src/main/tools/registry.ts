import { ToolError } from '../../shared/errors.ts'
import { toolsetNames, type ToolsetName } from '../../shared/risk.ts'
import { nearest } from './nearest.ts'
import type { Tool } from './tool.ts'
import type { Toolset } from './toolset.ts'

export interface Registry {
  toolset(name: ToolsetName): Toolset
  /** A tool by its main name or an alias. Throws `unknown_tool` with the nearest names. */
  find(toolset: ToolsetName, name: string): Tool
}

/** All toolsets by name. Throws when two tools of one toolset share a name: that is a mistake in the code. */
export function createRegistry(toolsets: readonly Toolset[]): Registry {
  const byName = new Map(toolsets.map((toolset) => [toolset.name, { toolset, tools: indexTools(toolset) }]))

  function entry(name: ToolsetName) {
    const found = byName.get(name)
    if (!found) throw new Error(`The toolset "${name}" is not registered (of ${toolsetNames.join(', ')}).`)
    return found
  }

  return {
    toolset: (name) => entry(name).toolset,
    find(toolsetName, name) {
      const { tools } = entry(toolsetName)
      const tool = tools.get(name)
      if (tool) return tool
      const close = nearest(name, [...tools.keys()])
      throw new ToolError(
        'unknown_tool',
        `There is no tool "${name}" in the toolset "${toolsetName}".`,
        close.length > 0 ? `Did you mean ${close.join(' or ')}?` : `The tools are: ${[...new Set([...tools.values()].map((tool) => tool.name))].join(', ')}.`,
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
