import { randomUUID } from 'node:crypto'
import type {
  ConversationInfo,
  ConversationSnapshot,
  ExportFormat,
  ListedConversation,
  ModelChoice,
} from '../../shared/agent/conversation.ts'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ShownFolders } from '../../shared/files/workspaceFolders.ts'
import { redact, redactKnown } from '../base/log/redact.ts'
import { fromJson, inFolder, toJson } from '../history/export/jsonExport.ts'
import { exportFileName, toMarkdown } from '../history/export/markdownExport.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { imageIds } from '../history/images.ts'
import type { AgentDeps } from './agentDeps.ts'
import { copyIntoWorkspace } from './conversationCopies.ts'
import { toolsetFor, type LiveConversations } from './liveConversations.ts'
import { hasUserMessage } from './turnActions.ts'

/** Lists, creates, changes, deletes, exports and imports conversations. */
export interface ConversationManagement {
  /**
   * Lists the conversations of the workspace, and those of its folders alone.
   * @param query words that must all occur
   */
  list(query?: string): ListedConversation[]
  /**
   * @param options `id`: of a deleted conversation
   * @throws ToolError `already_exists` if a conversation has the id
   */
  create(options?: NewConversation): ConversationSnapshot
  /** One of a folder of the workspace opens as a copy in the workspace. */
  open(id: string): ConversationSnapshot
  /** Shows the conversation of the window, which shows other folders now. @param from the root that it had before */
  keepShown(from: string): void
  /** Returns the conversation that a window shows first: the one used last in this folder. */
  latest(): ConversationSnapshot | null
  update(
    id: string,
    change: Partial<
      Pick<ConversationInfo, 'title' | 'mode' | 'toolset' | 'model' | 'profile' | 'pinned' | 'archived'>
    > & {
      /** Null selects Tizona's own agent. @throws ToolError `conflict` after the first message */
      agent?: string | null
    },
  ): ConversationInfo
  /** Stops the turn, then deletes the conversation and its pictures. */
  delete(id: string): Promise<void>
  /** Returns the whole conversation as text, with a file name. */
  export(id: string, format: ExportFormat): { name: string; text: string }
  /** Adds a conversation that was exported as JSON. @throws ToolError `invalid_arguments` */
  import(text: string): ConversationSnapshot
}

interface NewConversation {
  id?: string | undefined
  model?: ModelChoice
  mode?: Mode
  toolset?: ToolsetName
  title?: string
}

/** @throws ToolError `already_exists` */
function refuseExisting(store: Pick<ConversationStore, 'get'>, id: string): void {
  try {
    store.get(id)
  } catch (error) {
    if (error instanceof ToolError) return
    throw error
  }
  throw new ToolError('already_exists', 'This conversation exists.', 'Open it instead.')
}

/** @param stopWork stops the turn and other requests of a conversation. Resolves when they have ended */
export function createConversationManagement(
  deps: AgentDeps,
  live: LiveConversations,
  stopWork: (id: string) => Promise<void>,
): ConversationManagement {
  const { store } = deps
  const { use, saveInfo, snapshot } = live
  return {
    ...createWorkspaceConversations(deps, live),
    create(options = {}) {
      const settings = deps.settings()
      const now = Date.now()
      const model = options.model ?? deps.defaultModel()
      if (options.id !== undefined) refuseExisting(store, options.id)
      const info: ConversationInfo = {
        id: options.id ?? randomUUID(),
        title: options.title ?? 'New conversation',
        createdAt: now,
        updatedAt: now,
        workspace: deps.root(),
        mode: options.mode ?? settings.mode,
        toolset: options.toolset ?? toolsetFor(deps, model),
        model,
      }
      store.save(info)
      const created = snapshot(info.id)
      if (options.toolset !== undefined) use(info.id).toolsetChosen = true
      return created
    },
    latest: () => live.latest(deps.root()),
    update(id, { agent, title, pinned, archived, ...change }) {
      const labels = {
        ...(title !== undefined && { title }),
        ...(pinned !== undefined && { pinned }),
        ...(archived !== undefined && { archived }),
      }
      const labelled = Object.keys(labels).length > 0 ? live.label(id, labels) : undefined
      if (labelled && agent === undefined && Object.values(change).every((value) => value === undefined))
        return labelled
      const entry = use(id)
      const otherAgent = agent !== undefined && (agent ?? undefined) !== entry.info.agent
      if (otherAgent && hasUserMessage(entry))
        throw new ToolError(
          'conflict',
          'The agent of a conversation cannot change after its first message.',
          'Start a new conversation.',
        )
      if (change.toolset !== undefined) entry.toolsetChosen = true
      // The toolset follows the model only until the first message, because the history then refers to its tools.
      const followsModel = change.model !== undefined && !hasUserMessage(entry) && !entry.toolsetChosen
      return saveInfo(entry, {
        ...change,
        ...(agent !== undefined && { agent: agent ?? undefined }),
        ...(followsModel && { toolset: toolsetFor(deps, change.model) }),
        ...(change.mode === 'plan' && entry.info.mode !== 'plan' && { modeBeforePlan: entry.info.mode }),
      })
    },
    async delete(id) {
      await stopWork(id)
      await deps.externalAgents?.connections.close(id)
      live.forget(id)
      const pictures = store.items(id).flatMap(imageIds)
      store.delete(id)
      deps.images.release(pictures)
    },
    export(id, format) {
      const { info, items } = withoutSecrets(store.get(id), live.items(id))
      const text =
        format === 'json'
          ? toJson(info, items, (picture) => deps.images.read(picture)?.base64)
          : redact(toMarkdown(info, items))
      return { name: exportFileName(info.title, format), text }
    },
    import(text) {
      const exported = fromJson(text)
      const { title, createdAt, toolset } = exported.info
      const { pictures } = exported
      const items = inFolder(exported.items, exported, deps.root())
      // Pictures are stored first, so that an invalid one fails before the conversation is stored.
      for (const picture of Object.values(pictures))
        deps.images.add('An image of the conversation', Buffer.from(picture, 'base64'))
      const info: ConversationInfo = {
        id: randomUUID(),
        createdAt,
        updatedAt: Date.now(),
        workspace: deps.root(),
        title,
        // The imported file must not decide what runs without approval.
        mode: deps.settings().mode,
        toolset,
        model: deps.defaultModel(),
      }
      store.add(info, items)
      return snapshot(info.id)
    },
  }
}

/** Lists and opens the conversations of a workspace, and those that its folders had before. */
function createWorkspaceConversations(
  deps: AgentDeps,
  live: LiveConversations,
): Pick<ConversationManagement, 'list' | 'open' | 'keepShown'> {
  const { store } = deps
  const here = (): ShownFolders => {
    const folders = deps.folders?.()
    return { root: deps.root(), ...(folders && { multiRoot: { folders, file: null } }) }
  }

  function open(id: string): ConversationSnapshot {
    const info = store.get(id)
    const from = deps.earlierWorkspaces?.().find(({ root }) => root === info.workspace)
    const to = from && here()
    if (!to || info.workspace === to.root) return live.snapshot(id)
    return live.snapshot(copyIntoWorkspace(store, info, () => live.items(id), { from, to }).id)
  }

  return {
    list(query) {
      const root = deps.root()
      const earlier = deps.earlierWorkspaces?.() ?? []
      if (earlier.length === 0) return store.list(root, query)
      const own = store.list(root)
      const isCopied = ({ id, updatedAt }: ConversationInfo): boolean =>
        own.some(({ forkedFrom, createdAt }) => forkedFrom === id && createdAt >= updatedAt)
      return store
        .list([root, ...earlier.map((each) => each.root)], query)
        .filter((info) => info.workspace === root || !isCopied(info))
    },
    open,
    keepShown(from) {
      const shown = live.shown()
      if (shown?.workspace === from && from !== deps.root()) open(shown.id)
    },
  }
}

/**
 * Returns a conversation without the keys of this installation. Text that only looks like a key stays, because an
 * exported conversation can be replayed.
 */
function withoutSecrets<T>(
  info: ConversationInfo,
  items: readonly T[],
): { info: ConversationInfo; items: readonly T[] } {
  // The copy has the same type, because only texts change.
  return JSON.parse(JSON.stringify({ info, items }), (_key, value: unknown) =>
    typeof value === 'string' ? redactKnown(value) : value,
  ) as { info: ConversationInfo; items: readonly T[] }
}
