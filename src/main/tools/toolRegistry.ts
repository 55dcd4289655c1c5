import type { Settings } from '../../shared/settings.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import type { ServerTools } from './mcpToolChanges.ts'
import { createRegistry, type Registry } from './registry.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { switchedOff } from './switchedOff.ts'
import { loadSkill } from './tizona/loadSkill.ts'
import { tizonaTools } from './tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

interface ToolRegistryDeps {
  settings(): Settings
  serverTools: Pick<ServerTools, 'list' | 'isOff'>
  /** Whether the open folder or its user has skills: `load_skill` is offered only then. */
  hasSkills(): boolean
}

/** The registry of the application: all toolsets, Tizona's own tools and those of MCP servers. */
export function createToolRegistry({ settings, serverTools, hasSkills }: ToolRegistryDeps): Registry {
  return createRegistry(
    [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset],
    () => [...tizonaTools.filter((tool) => tool !== loadSkill || hasSkills()), ...serverTools.list()],
    (toolset, tool) => (serverTools.isOff(tool.name) ? 'settings' : switchedOff(settings(), toolset, tool)),
  )
}
