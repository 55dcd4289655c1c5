import { ToolError } from '../../shared/errors.ts'
import type { McpDefinition } from '../../shared/tools/mcp.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import type { Handlers } from './handlers.ts'
import type { Platform } from '../core/platform.ts'
import { createMcpServerSettings, userKey, type McpServerSettingsDeps } from './mcpServerSettings.ts'

type McpRequests =
  | 'mcp.state'
  | 'mcp.save'
  | 'mcp.remove'
  | 'mcp.trust'
  | 'mcp.setSecrets'
  | 'mcp.setOff'
  | 'mcp.setTool'
  | 'mcp.restart'
  | 'mcp.findSignIn'
  | 'mcp.signIn'
  | 'mcp.cancelSignIn'
  | 'mcp.signOut'
  | 'mcp.prompt'

/** Handles requests about MCP servers. Secrets are stored and never sent to a window. */
export function createMcpHandlers(
  deps: McpServerSettingsDeps & { platform: Pick<Platform, 'openExternal'> },
): Pick<Handlers, McpRequests> {
  const { settings, session, platform } = deps
  const { state, change, changeChoice, storeSecrets, deleteSecrets } = createMcpServerSettings(deps)

  /** Returns the servers of the open folder. @throws ToolError no_workspace */
  function openServers(): Mcp {
    const open = session()
    if (!open)
      throw new ToolError(
        'no_workspace',
        'No folder is open.',
        'Open a folder first. MCP servers start when a folder opens.',
      )
    return open.mcp
  }

  return {
    'mcp.state': state,
    async 'mcp.save'({ name, previous, definition, secrets }) {
      const { servers } = settings.get().mcp
      if (name !== previous && Object.hasOwn(servers, name)) {
        throw new ToolError(
          'already_exists',
          `A server named "${name}" already exists.`,
          'Choose another name, or edit that server.',
        )
      }
      const before = previous === undefined ? undefined : servers[previous]
      // Stored secrets are sent only to the program or origin that the user entered them for.
      if (previous !== undefined && before && (name !== previous || hasNewTarget(before, definition)))
        await deleteSecrets(previous, before)
      await storeSecrets({ origin: 'user', name }, secrets)
      const after = await change(({ servers: all, choices }) => ({
        servers: { ...without(all, previous), [name]: definition },
        choices: name === previous ? choices : without(choices, previous === undefined ? undefined : userKey(previous)),
      }))
      if (Object.keys(secrets).length === 0) return after
      await session()?.mcp.restart(userKey(name))
      return state()
    },
    async 'mcp.remove'({ name }) {
      const { servers } = settings.get().mcp
      const definition = Object.hasOwn(servers, name) ? servers[name] : undefined
      if (!definition) throw new ToolError('not_found', `There is no server named "${name}".`)
      const after = await change(({ servers: all, choices }) => ({
        servers: without(all, name),
        choices: without(choices, userKey(name)),
      }))
      await deleteSecrets(name, definition)
      return after
    },
    async 'mcp.trust'({ key, trusted }) {
      await openServers().decideTrust(key, trusted)
      return state()
    },
    async 'mcp.setSecrets'({ key, secrets }) {
      const server = (await state()).servers.find((each) => each.key === key)
      if (!server)
        throw new ToolError('conflict', 'The definition of this server has changed.', 'Review the current definition.')
      await storeSecrets(server, secrets)
      await session()?.mcp.restart(key)
      return state()
    },
    'mcp.setOff': ({ key, off }) => changeChoice(key, (choice) => ({ ...choice, off })),
    'mcp.setTool': ({ key, tool, off, risk, fingerprint }) =>
      changeChoice(key, (choice) => {
        const before = choice.tools[tool] ?? { off: false }
        const decided = risk === undefined ? {} : { risk: risk ?? undefined, fingerprint }
        return { ...choice, tools: { ...choice.tools, [tool]: { ...before, ...decided, off: off ?? before.off } } }
      }),
    async 'mcp.restart'({ key }) {
      await openServers().restart(key)
      return state()
    },
    'mcp.findSignIn': ({ key }, signal) => openServers().signIns.find(key, signal),
    async 'mcp.signIn'({ key, host }, signal) {
      // Without a browser to open, the window shows the address.
      await openServers().signIns.signIn(key, host, async (page) => platform.openExternal?.(page), signal)
      return state()
    },
    async 'mcp.cancelSignIn'({ key }) {
      openServers().signIns.cancel(key)
      return state()
    },
    'mcp.prompt': ({ command, args }, signal) => openServers().content.prompt(command, args, signal),
    async 'mcp.signOut'({ key }) {
      await openServers().signIns.signOut(key)
      return state()
    },
  }
}

/** Whether a changed definition runs another program or connects to another origin. */
function hasNewTarget(before: McpDefinition, after: McpDefinition): boolean {
  if (before.type === 'stdio') return after.type !== 'stdio' || after.command !== before.command
  return after.type !== 'http' || new URL(after.url).origin !== new URL(before.url).origin
}

function without<T>(record: Record<string, T>, key: string | undefined): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}
