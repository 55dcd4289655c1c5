import type { Settings } from '../../shared/settings/settings.ts'
import type { ToolsetName } from '../../shared/tools/risk.ts'
import type { DisabledReason } from '../../shared/tools/tool.ts'
import type { McpToolProvider } from './mcpToolProvider.ts'
import { appToolsets, useBuiltSchemas } from './offeredSchemas.ts'
import { loadSkill } from './tizona/loadSkill.ts'
import { task, taskWith } from './tizona/taskTool.ts'
import { browserTools } from './tizona/browser/browserTools.ts'
import { notebookRunTools } from './tizona/notebook/notebookTools.ts'
import { debugTools, languageTools, tizonaTools } from './tizona/tizonaTools.ts'
import type { AgentKind, Tool } from './common/toolDefinition.ts'
import { createToolRegistry, type ToolRegistry } from './toolRegistry.ts'

const noAgents: readonly AgentKind[] = []

interface AppToolRegistryDeps {
  settings(): Settings
  serverTools: Pick<McpToolProvider, 'list' | 'isOff'>
  /** Whether the workspace or the user has skills. `load_skill` is offered only then. */
  hasSkills(): boolean
  /** Kinds of sub-agents that plug-ins bring. The same list until they change. Default: none. */
  agents?(): readonly AgentKind[]
  /** Whether language servers may run in the open folder. Their tools are offered only then. */
  hasLanguageServers(): boolean
  /** Whether programs of the open folder may be debugged. The tools for it are off otherwise. */
  canDebug(): boolean
  /** Whether there is a browser for pages of the open folder. Its tools are offered only then. */
  hasBrowser(): boolean
}

/** Creates the application's registry: all toolsets, Tizona's own tools, and tools of MCP servers. */
export function createAppToolRegistry({
  settings,
  serverTools,
  hasSkills,
  agents = () => noAgents,
  hasLanguageServers,
  canDebug,
  hasBrowser,
}: AppToolRegistryDeps): ToolRegistry {
  let tasks = { agents: noAgents, tool: task }
  /** The tool for sub-agents. The same one for the same kinds, because its schema is derived once. */
  const taskTool = (): Tool => {
    if (tasks.agents !== agents()) tasks = { agents: agents(), tool: taskWith(agents()) }
    return tasks.tool
  }
  const isOffered = (tool: Tool): boolean => {
    if (tool === loadSkill) return hasSkills()
    if (browserTools.includes(tool)) return hasBrowser()
    return !languageTools.includes(tool) || hasLanguageServers()
  }
  useBuiltSchemas()
  return createToolRegistry(
    appToolsets,
    () => [...tizonaTools.filter(isOffered).map((tool) => (tool === task ? taskTool() : tool)), ...serverTools.list()],
    (toolset, tool) => {
      if (serverTools.isOff(tool.name)) return 'settings'
      const needsTrust = debugTools.includes(tool) || notebookRunTools.includes(tool)
      return toolOffReason(settings(), toolset, tool) ?? (needsTrust && !canDebug() ? 'trust' : undefined)
    },
  )
}

/** Returns why the settings turn a tool off, or undefined. Web access has priority, because it affects more tools. */
export function toolOffReason(
  { web, disabledTools }: Pick<Settings, 'web' | 'disabledTools'>,
  toolset: ToolsetName,
  tool: Tool,
): DisabledReason | undefined {
  if (tool.web && !web.enabled) return 'web'
  return disabledTools[toolset]?.includes(tool.name) ? 'settings' : undefined
}
