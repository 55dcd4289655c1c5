import { pluginVariables, withPluginFolders } from '../../shared/plugins/plugins.ts'
import type { PluginServerDefinition } from '../mcp/serverEntries.ts'
import type { ActivePlugin } from '../settings/plugins/pluginStore.ts'
import { parseFrontMatter } from '../instructions/frontMatter.ts'
import { withoutInvisibleCharacters } from '../instructions/instructionText.ts'
import type { AgentKind } from '../tools/common/toolDefinition.ts'

/** Maximum number of kinds of sub-agents that are offered. */
const maxAgents = 20
/** Maximum characters of the instructions of a sub-agent. */
const maxInstructions = 16_000

/** Returns the servers of plug-ins with the real paths of their folders, in which they run. */
export function pluginServers(plugins: readonly ActivePlugin[]): PluginServerDefinition[] {
  return plugins.flatMap(({ name: plugin, root, data, contents }) =>
    contents.servers.map(({ name, definition }): PluginServerDefinition => {
      const filled = (text: string) => withPluginFolders(text, { root, data })
      const all = (record: Record<string, string>) =>
        Object.fromEntries(Object.entries(record).map(([key, value]) => [key, filled(value)] as const))
      if (definition.type === 'http')
        return { plugin, root, name, definition: { ...definition, headers: all(definition.headers) } }
      // Python would add compiled files to the folder, which ends the trust.
      const env = { PYTHONDONTWRITEBYTECODE: '1', ...pluginVariables({ root, data }), ...all(definition.env) }
      const [command, args] = [filled(definition.command), definition.args.map(filled)]
      return { plugin, root, name, definition: { ...definition, command, args, env } }
    }),
  )
}

/** Returns the kinds of sub-agents that plug-ins bring. */
export function pluginAgents(plugins: readonly ActivePlugin[]): AgentKind[] {
  return plugins
    .flatMap((plugin) =>
      plugin.contents.agents.map(({ name, description, tools, model, file }): AgentKind => {
        return {
          name: `${plugin.name}:${name}`,
          description,
          ...(tools && { tools }),
          ...(model !== undefined && { model }),
          async instructions() {
            const text = (await plugin.isUsable()) ? await plugin.readText(file) : null
            if (text === null) return null
            return withoutInvisibleCharacters(parseFrontMatter(text).body).text.trim().slice(0, maxInstructions)
          },
        }
      }),
    )
    .slice(0, maxAgents)
}
