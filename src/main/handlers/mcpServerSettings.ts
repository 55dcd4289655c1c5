import type { McpChoice, McpDefinition, McpSettings, McpState } from '../../shared/tools/mcp.ts'
import { inputNames } from '../../shared/tools/mcpInputs.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import { credentialsId } from '../mcp/oauth/credentials.ts'
import { secretId } from '../mcp/serverEntries.ts'
import type { SecretStore } from '../settings/secretStore.ts'

export interface McpServerSettingsDeps {
  settings: { get(): Settings; update(change: (stored: Settings) => Partial<Settings>): Promise<Settings> }
  secrets: SecretStore
  /** Returns the MCP servers and the real path of the open folder, if one is open. */
  session(): { mcp: Mcp; workspace: { root: string } } | undefined
}

/** Stored settings and secrets of MCP servers. */
export interface McpServerSettings {
  /**
   * Returns the servers of the open folder. Without one, returns the user's servers, which start with the first folder.
   */
  state(): Promise<McpState>
  /** Stores changed settings and applies them to the servers of the open folder. */
  change(next: (mcp: McpSettings) => McpSettings): Promise<McpState>
  /** Like `change`, for the user's choices about one server. */
  changeChoice(key: string, next: (choice: McpChoice) => McpChoice): Promise<McpState>
  /** Stores secrets by the name of their input. Null and '' delete a secret. */
  storeSecrets(
    server: { origin: 'user' | 'workspace'; name: string },
    values: Record<string, string | null>,
  ): Promise<void>
  /** Deletes all secrets of one of the user's servers, and its sign-in. */
  deleteSecrets(name: string, definition: McpDefinition): Promise<void>
}

export function createMcpServerSettings({ settings, secrets, session }: McpServerSettingsDeps): McpServerSettings {
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
export function userKey(name: string): string {
  return `user:${name}`
}
