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
  /** Real path of the folder. */
  root: string
  /** Whether the folder is trusted in this process: by `--trust`, or as the tour's own copy. */
  always: boolean
  /** Whether the folder was passed on the command line of a host without a window. */
  headless: boolean
  /** Root of the repository from which Tizona made the folder as a worktree. Its trust applies until one is decided. */
  origin?: string
}

export function createWorkspaceTrust({ store, root, always, headless, origin }: WorkspaceTrustDeps): WorkspaceTrust {
  const follows = () => origin !== undefined && !store.isDecided(root) && store.isTrusted(origin)
  const isTrusted = () => always || store.isTrusted(root) || follows()
  const parent = trustableParent(root, [homedir(), tmpdir()])
  return {
    isTrusted,
    isTrustedFolder: (folder) => ((always || follows()) && isSameOrBelow(folder, root)) || store.isTrusted(folder),
    allowsCommands: () => headless || isTrusted(),
    info: () => (isTrusted() ? {} : { restricted: { decided: store.isDecided(root) } }),
    async decide(choice) {
      await store.decide(choice === 'parent' && parent !== null ? parent : root, choice !== 'restricted')
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
