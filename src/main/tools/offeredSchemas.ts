import type { JsonSchema } from '../../shared/tools/tool.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { builtSchemas } from './schema/builtSchemas.ts'
import { offeredParameters, rememberParameters } from './schema/toolSchema.ts'
import { tizonaTools } from './tizona/tizonaTools.ts'
import type { Tool, Toolset } from './common/toolDefinition.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

/** The toolsets of the application. */
export const appToolsets: readonly Toolset[] = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]

/** Returns the parameters of the application's tools as models see them, by toolset and tool. */
export function deriveSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries([...appTools()].map(([name, tool]) => [name, offeredParameters(tool)]))
}

/** Makes `offeredParameters` return the schemas derived by the build. Other schemas are derived when needed. */
export function useBuiltSchemas(built: string = builtSchemas): void {
  // Written by the build from `deriveSchemas`.
  const schemas = JSON.parse(built) as Readonly<Record<string, JsonSchema>>
  for (const [name, tool] of appTools()) {
    const schema = schemas[name]
    if (schema) rememberParameters(tool, schema)
  }
}

function* appTools(): Iterable<[string, Tool]> {
  for (const { name, tools } of [...appToolsets, { name: 'tizona', tools: tizonaTools }])
    for (const tool of tools) yield [`${name}.${tool.name}`, tool]
}
