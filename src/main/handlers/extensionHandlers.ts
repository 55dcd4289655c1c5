import type { PluginServer } from '../../shared/plugins/plugins.ts'
import { inputNames } from '../../shared/tools/mcpInputs.ts'
import type { UserData } from '../appServices/userData.ts'
import type { Handlers } from '../core/coreContract.ts'
import { credentialsId } from '../mcp/oauth/credentials.ts'
import { secretId } from '../mcp/serverEntries.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { hasNewTarget } from './mcpHandlers.ts'

type ExtensionHandlers = Pick<Handlers, Extract<keyof Handlers, `extensions.${string}`>>

const bytesOf = (data: string) => new Uint8Array(Buffer.from(data, 'base64'))

type PluginHandlers = Pick<Handlers, Extract<keyof Handlers, `plugins.${string}`>>

interface OpenFolder {
  session(): Pick<WorkspaceSession, 'choicesFolder'> | undefined
  /** @throws ToolError `no_workspace` */
  current(): Pick<WorkspaceSession, 'choicesFolder'>
}

/** Handles requests about plug-ins. Secrets of their servers are deleted before they could reach another program. */
export function createPluginHandlers(
  { plugins, secrets }: Pick<UserData, 'plugins' | 'secrets'>,
  { session, current }: OpenFolder,
): PluginHandlers {
  async function deleteSecrets(plugin: string, servers: readonly PluginServer[]): Promise<void> {
    for (const { name, definition } of servers) {
      const owner = { origin: 'plugin' as const, name: `${plugin}:${name}` }
      for (const input of inputNames(definition)) await secrets.set(secretId(owner, '', input), null)
      await secrets.set(credentialsId(owner, ''), null)
    }
  }
  const find = async (name: string) =>
    (await plugins.list()).find((each) => each.name.toLowerCase() === name.toLowerCase())

  return {
    'plugins.list': () => plugins.list(session()?.choicesFolder),
    'plugins.addFolder': ({ path }) => plugins.addFolder(path),
    'plugins.addArchive': ({ name, data }) => plugins.addArchive(name, bytesOf(data)),
    'plugins.addFiles': ({ name, files }) =>
      plugins.addFiles(name, new Map(files.map(({ path, data }) => [path, bytesOf(data)] as const))),
    'plugins.check': ({ name }) => plugins.check(name),
    'plugins.changes': ({ name, hash }) => plugins.changes(name, hash),
    'plugins.files': ({ name, hash }) => plugins.files(name, hash),
    'plugins.readText': ({ name, hash, path }) => plugins.readText(name, hash, path),
    'plugins.accept': ({ name, hash }) =>
      plugins.accept(name, hash, async (installed, offered) => {
        const after = new Map(offered.servers.map((server) => [server.name, server.definition]))
        const changed = installed.servers.filter((server) => {
          const definition = after.get(server.name)
          return definition === undefined || hasNewTarget(server.definition, definition)
        })
        const plugin = await find(name)
        if (plugin) await deleteSecrets(plugin.name, changed)
      }),
    'plugins.dismiss': ({ name, hash }) => plugins.dismiss(name, hash),
    'plugins.trust': ({ name, hash, trusted }) => plugins.trust(name, hash, trusted),
    'plugins.setEnabled'({ name, enabled, onlyHere }) {
      if (onlyHere) return plugins.setEnabledIn(current().choicesFolder, name, enabled)
      return plugins.setEnabled(name, enabled, session()?.choicesFolder)
    },
    'plugins.data': ({ name }) => plugins.data(name),
    async 'plugins.remove'({ name, deleteData }) {
      const plugin = await find(name)
      if (plugin) await deleteSecrets(plugin.name, plugin.contents.servers)
      await plugins.remove(name, deleteData)
    },
  }
}

/** Handles requests about installed extensions. */
export function createExtensionHandlers({ extensions }: Pick<UserData, 'extensions'>): ExtensionHandlers {
  return {
    'extensions.list': () => extensions.list(),
    'extensions.install': ({ name, data }) => extensions.install(name, bytesOf(data)),
    'extensions.installFolder': ({ name, files }) =>
      extensions.installFolder(name, new Map(files.map(({ path, data }) => [path, bytesOf(data)] as const))),
    'extensions.remove': ({ id }) => extensions.remove(id),
    'extensions.setEnabled': ({ id, enabled }) => extensions.setEnabled(id, enabled),
    'extensions.contributions': () => extensions.contributions(),
    'extensions.readText': ({ extension, path }) => extensions.readText(extension, path),
    'extensions.iconTheme': ({ id }) => extensions.iconTheme(id),
    'extensions.images': ({ extension, paths }) => extensions.images(extension, paths),
  }
}
