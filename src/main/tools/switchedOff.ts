import type { ToolsetName } from '../../shared/risk.ts'
import type { Settings } from '../../shared/settings.ts'
import type { ToolOff } from '../../shared/tool.ts'
import type { Tool } from './tool.ts'

/** Why the user's settings switch a tool off; undefined when they do not. The web's own switch is named first: it is the wider one. */
export function switchedOff(
  { web, disabledTools }: Pick<Settings, 'web' | 'disabledTools'>,
  toolset: ToolsetName,
  tool: Tool,
): ToolOff | undefined {
  if (tool.web && !web.enabled) return 'web'
  return disabledTools[toolset]?.includes(tool.name) ? 'settings' : undefined
}
