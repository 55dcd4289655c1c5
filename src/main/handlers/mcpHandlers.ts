import { ToolError } from '../../shared/errors.ts'
import { inputNames, type McpChoice, type McpDefinition, type McpSettings, type McpState } from '../../shared/mcp.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import { secretId } from '../mcp/serverEntries.ts'
import type { SecretStore } from '../settings/secretStore.ts'
import type { Handlers } from './handlers.ts'

interface McpHandlerParts {
  settings: { get(): Settings; update(change: (stored: Settings) => Partial<Settings>): Promise<Settings> }
  secrets: SecretStore
  /** The open folder's servers and its real path, when one is open. */
  session(): { mcp: Mcp; workspace: { root: string } } | undefined
}

type McpRequests =
  | 'mcp.state'
  | 'mcp.save'
  | 'mcp.remove'
  | 'mcp.trust'
  | 'mcp.setSecrets'
  | 'mcp.setOff'
  | 'mcp.setTool'
  | 'mcp.restart'

/** MCP servers as a window asks for them. Secrets come in through here and never go out. */
export function createMcpHandlers({ settings, secrets, session }: McpHandlerParts): Pick<Handlers, McpRequests> {
  /** Without a folder the user's own servers are there to be set up; they start with the first one. */
  async function state(): Promise<McpState> {
    const open = session()
    if (open) return open.mcp.state()
    const { servers, choices } = settings.get().mcp
    const shown = await Promise.all(
      Object.entries(servers).map(async ([name, definition]) => {
        const key = userKey(name)
        const isStored = async (input: string) =>
          (await secrets.get(secretId({ origin: 'user', name }, '', input))) !== undefined
        const inputs = await Promise.all(
          inputNames(definition).map(async (input) => ({ name: input, stored: await isStored(input) })),
        )
        const stands = choices[key]?.off ? ('off' as const) : ('idle' as const)
        return { key, name, origin: 'user' as const, definition, state: stands, log: [], inputs, tools: [] }
      }),
    )
    return { servers: shown, problems: [] }
  }

  async function change(next: (mcp: McpSettings) => McpSettings): Promise<McpState> {
    await settings.update((stored) => ({ mcp: next(stored.mcp) }))
    await session()?.mcp.refresh()
    return state()
  }

  const changeChoice = (key: string, next: (choice: McpChoice) => McpChoice) =>
    change((mcp) => ({
      ...mcp,
      choices: { ...mcp.choices, [key]: next(mcp.choices[key] ?? { off: false, tools: {} }) },
    }))

  async function store(
    server: { origin: 'user' | 'workspace'; name: string },
    given: Record<string, string | null>,
  ): Promise<void> {
    const root = session()?.workspace.root ?? ''
    for (const [input, secret] of Object.entries(given))
      await secrets.set(secretId(server, root, input), secret === '' ? null : secret)
  }

  return {
    'mcp.state': () => state(),
    async 'mcp.save'({ name, previous, definition, secrets: given }) {
      const { servers } = settings.get().mcp
      if (name !== previous && Object.hasOwn(servers, name)) {
        throw new ToolError(
          'already_exists',
          `There is a server "${name}" already.`,
          'Choose another name, or change that one.',
        )
      }
      const before = previous === undefined ? undefined : servers[previous]
      // A secret goes where the user said it goes: with another place, or under another name, it is entered again.
      if (previous !== undefined && before && (name !== previous || leadsElsewhere(before, definition)))
        await forget(previous, before)
      await store({ origin: 'user', name }, given)
      const after = await change(({ servers: all, choices }) => ({
        servers: { ...without(all, previous), [name]: definition },
        choices: name === previous ? choices : without(choices, previous === undefined ? undefined : userKey(previous)),
      }))
      if (Object.keys(given).length === 0) return after
      await session()?.mcp.restart(userKey(name))
      return state()
    },
    async 'mcp.remove'({ name }) {
      const { servers } = settings.get().mcp
      const definition = Object.hasOwn(servers, name) ? servers[name] : undefined
      if (!definition) throw new ToolError('not_found', `There is no server "${name}".`)
      const after = await change(({ servers: all, choices }) => ({
        servers: without(all, name),
        choices: without(choices, userKey(name)),
      }))
      await forget(name, definition)
      return after
    },
    async 'mcp.trust'({ key, trusted }) {
      await folder().decideTrust(key, trusted)
      return state()
    },
    async 'mcp.setSecrets'({ key, secrets: given }) {
      const server = (await state()).servers.find((each) => each.key === key)
      if (!server)
        throw new ToolError('conflict', 'The definition of this server has changed.', 'Review the current definition.')
      await store(server, given)
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
      await folder().restart(key)
      return state()
    },
  }

  function folder(): Mcp {
    const open = session()
    if (!open) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first: servers start with it.')
    return open.mcp
  }

  async function forget(name: string, definition: McpDefinition): Promise<void> {
    await store({ origin: 'user', name }, Object.fromEntries(inputNames(definition).map((input) => [input, null])))
  }
}

function userKey(name: string): string {
  return `user:${name}`
}

/** Another program, or another origin. */
function leadsElsewhere(before: McpDefinition, after: McpDefinition): boolean {
  if (before.type === 'stdio') return after.type !== 'stdio' || after.command !== before.command
  return after.type !== 'http' || new URL(after.url).origin !== new URL(before.url).origin
}

function without<T>(record: Record<string, T>, key: string | undefined): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}
