import { ToolError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { McpDefinition, McpChoice, McpOrigin, McpSettings, McpState } from '../../shared/tools/mcp.ts'
import { inputNames } from '../../shared/tools/mcpInputs.ts'
import type { Platform } from '../appServices/platform.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import { credentialsId } from '../mcp/oauth/credentials.ts'
import { secretId } from '../mcp/serverEntries.ts'
import type { SecretStore } from '../settings/secretStore.ts'
import type { Handlers } from '../core/coreContract.ts'

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
      // Stored secrets are only sent to the program or origin that the user entered them for.
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
      // Without a browser to open, the window shows the URL.
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
export function hasNewTarget(before: McpDefinition, after: McpDefinition): boolean {
  if (before.type === 'stdio') return after.type !== 'stdio' || after.command !== before.command
  return after.type !== 'http' || new URL(after.url).origin !== new URL(before.url).origin
}

function without<T>(record: Record<string, T>, key: string | undefined): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

interface McpServerSettingsDeps {
  settings: { get(): Settings; update(change: (stored: Settings) => Partial<Settings>): Promise<Settings> }
  secrets: SecretStore
  /** Returns the MCP servers and the real path of the open folder, if one is open. */
  session(): { mcp: Mcp; workspace: { root: string } } | undefined
}

/** Stored settings and secrets of MCP servers. */
interface McpServerSettings {
  /**
   * Returns the servers of the open folder. Without one, returns the user's servers, which start with the first folder.
   */
  state(): Promise<McpState>
  /** Stores changed settings and applies them to the servers of the open folder. */
  change(next: (mcp: McpSettings) => McpSettings): Promise<McpState>
  /** Like `change`, for the user's choices about one server. */
  changeChoice(key: string, next: (choice: McpChoice) => McpChoice): Promise<McpState>
  /** Stores secrets by input name. Null and '' delete a secret. */
  storeSecrets(server: { origin: McpOrigin; name: string }, values: Record<string, string | null>): Promise<void>
  /** Deletes all secrets and the sign-in of one of the user's servers. */
  deleteSecrets(name: string, definition: McpDefinition): Promise<void>
}

function createMcpServerSettings({ settings, secrets, session }: McpServerSettingsDeps): McpServerSettings {
  async function userServer(name: string, definition: McpDefinition): Promise<McpState['servers'][number]> {
    const key = userKey(name)
    const isStored = async (input: string) =>
      (await secrets.get(secretId({ origin: 'user', name }, '', input))) !== undefined
    const inputs = await Promise.all(
      inputNames(definition).map(async (input) => ({ name: input, stored: await isStored(input) })),
    )
    const state = settings.get().mcp.choices[key]?.off ? 'off' : 'idle'
    return { key, name, origin: 'user', definition, state, log: [], inputs, tools: [] }
  }

  async function state(): Promise<McpState> {
    const open = session()
    if (open) return open.mcp.state()
    const { servers } = settings.get().mcp
    const all = await Promise.all(Object.entries(servers).map(([name, definition]) => userServer(name, definition)))
    return { servers: all, problems: [] }
  }

  async function change(next: (mcp: McpSettings) => McpSettings): Promise<McpState> {
    await settings.update((stored) => ({ mcp: next(stored.mcp) }))
    await session()?.mcp.refresh()
    return state()
  }

  const storeSecrets: McpServerSettings['storeSecrets'] = async (server, values) => {
    const root = session()?.workspace.root ?? ''
    for (const [input, secret] of Object.entries(values))
      await secrets.set(secretId(server, root, input), secret === '' ? null : secret)
  }

  return {
    state,
    change,
    changeChoice: (key, next) =>
      change((mcp) => ({
        ...mcp,
        choices: { ...mcp.choices, [key]: next(mcp.choices[key] ?? { off: false, tools: {} }) },
      })),
    storeSecrets,
    async deleteSecrets(name, definition) {
      const server = { origin: 'user' as const, name }
      await storeSecrets(server, Object.fromEntries(inputNames(definition).map((input) => [input, null])))
      await secrets.set(credentialsId(server, ''), null)
    },
  }
}

/** Returns the key of one of the user's servers. */
function userKey(name: string): string {
  return `user:${name}`
}
