import { homedir, tmpdir } from 'node:os'
import type { TrustChoice, TrustEffect, TrustEffects } from '../../shared/files/folderTrust.ts'
import type { HookInfo } from '../../shared/tools/hooks.ts'
import type { McpState } from '../../shared/tools/mcp.ts'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { isSameOrBelow, trustableParent, type FolderTrust } from '../settings/folderTrust.ts'

/** What the user's trust in the open folder permits. */
export interface WorkspaceTrust {
  /** Whether instructions, rules, skills, prompts and MCP servers of the folder are used. */
  isTrusted(): boolean
  /** Whether the user trusts a folder in or above the open one. @param folder real path */
  isTrustedFolder(folder: string): boolean
  /** Whether the agent may run commands. Without a window, passing the folder on the command line permits it. */
  allowsCommands(): boolean
  /** The `restricted` field of the folder's `WorkspaceInfo`. */
  info(): Pick<WorkspaceInfo, 'restricted'>
  /** Stores the user's decision. */
  decide(choice: TrustChoice): Promise<void>
  /** The parent folder that can be trusted as a whole, if any. */
  parent: string | null
}

interface WorkspaceTrustDeps {
  store: FolderTrust
  /** Real paths of the folders. Of a saved multi-root workspace also its file, whose settings and tasks apply. */
  places: readonly string[]
  /** Whether the folder is trusted in this process: by `--trust`, or as the tour's own copy. */
  always: boolean
  /** Whether the folder was passed on the command line of a host without a window. */
  headless: boolean
  /** Root of the repository from which Tizona made the folder as a worktree. Its trust applies until one is decided. */
  origin?: string
}

export function createWorkspaceTrust({ store, places, always, headless, origin }: WorkspaceTrustDeps): WorkspaceTrust {
  const isDecided = () => places.every(store.isDecided)
  const follows = () => origin !== undefined && !isDecided() && store.isTrusted(origin)
  const isTrusted = () => always || places.every(store.isTrusted) || follows()
  const [only] = places
  const parent = places.length === 1 && only !== undefined ? trustableParent(only, [homedir(), tmpdir()]) : null
  return {
    isTrusted,
    isTrustedFolder(folder) {
      const isInside = places.some((place) => isSameOrBelow(folder, place))
      if (isInside && (places.length > 1 || always || follows())) return isTrusted()
      return store.isTrusted(folder)
    },
    allowsCommands: () => headless || isTrusted(),
    info: () => (isTrusted() ? {} : { restricted: { decided: isDecided() } }),
    async decide(choice) {
      const undecided = places.filter((place) => !store.isDecided(place))
      // One restricted folder restricts the workspace. The others keep the user's trust.
      const restricted = undecided.length > 0 ? undecided : places
      const decided = choice === 'parent' && parent !== null ? [parent] : choice === 'restricted' ? restricted : places
      for (const place of decided) await store.decide(place, choice !== 'restricted')
    },
    parent,
  }
}

/** Maximum number of entries listed in the trust dialog. */
const maxEffects = 200

/** Lists what trust enables: commands, the folder's servers, hooks and instructions. */
export function trustEffects(
  sources: readonly TrustEffect[],
  { servers }: McpState,
  hooks: readonly HookInfo[],
  parent: string | null,
): TrustEffects {
  const ofServers = servers
    .filter(({ origin }) => origin === 'workspace')
    .map(({ name, definition }): TrustEffect => {
      const detail = definition.type === 'stdio' ? [definition.command, ...definition.args].join(' ') : definition.url
      return { kind: 'server', name, detail }
    })
  const ofHooks = hooks.map(({ source, event, command }): TrustEffect => ({
    kind: 'hook',
    name: `${source}, ${event}`,
    detail: command,
  }))
  const effects = [...ofServers, ...ofHooks, ...sources]
  return { effects: effects.slice(0, maxEffects), more: effects.length > maxEffects, parent }
}
