import type { ToolsetName } from '../../shared/tools/risk.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { DisabledReason } from '../../shared/tools/tool.ts'
import type { Tool } from './toolDefinition.ts'

/** Returns why the settings turn a tool off, or undefined. Web access has priority, because it affects more tools. */
export function toolOffReason(
  { web, disabledTools }: Pick<Settings, 'web' | 'disabledTools'>,
  toolset: ToolsetName,
  tool: Tool,
): DisabledReason | undefined {
  if (tool.web && !web.enabled) return 'web'
  return disabledTools[toolset]?.includes(tool.name) ? 'settings' : undefined
}
