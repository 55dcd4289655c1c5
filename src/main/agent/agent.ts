import { randomUUID } from 'node:crypto'
import type { Attachment } from '../../shared/attachments.ts'
import type {
  ConversationInfo,
  ConversationSnapshot,
  ExportFormat,
  ListedConversation,
  ModelChoice,
  QueuedMessage,
} from '../../shared/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Mode, ToolsetName } from '../../shared/risk.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { fromJson, toJson } from '../history/export/jsonExport.ts'
import { fileNameOf, toMarkdown } from '../history/export/markdownExport.ts'
import { imageIds } from '../history/images.ts'
import { createApprovalCards, type ApprovalCards } from './approvalCards.ts'
import { createLiveConversations, show, type LiveConversation } from './liveConversations.ts'
import { userItem } from './items.ts'
import type { AgentDeps } from './agentDeps.ts'
import { createRewind, type Rewind } from './rewind.ts'
import { createRunningTurns, titleOf } from './runningTurns.ts'

export interface Agent extends ApprovalCards {
  /** Restores earlier messages and forks conversations. */
  readonly rewind: Rewind
  list(query?: string): ListedConversation[]
  create(options?: { model?: ModelChoice; mode?: Mode; toolset?: ToolsetName; title?: string }): ConversationSnapshot
  open(id: string): ConversationSnapshot
  update(
    id: string,
    change: Partial<Pick<ConversationInfo, 'title' | 'mode' | 'toolset' | 'model' | 'profile' | 'pinned'>>,
  ): ConversationInfo
  delete(id: string): Promise<void>
  /** Ids of the conversations in memory: shown, running, with queued messages, or recently used. */
  inUse(): string[]
  /** Starts a turn. While one runs, the message is queued until it ends, or with `steer` until its current calls end. */
  send(
    id: string,
    text: string,
    options?: { steer?: boolean; /** Attachments, already read. */ attachments?: Attachment[] },
  ): { queued: boolean }
  /** @throws ToolError `not_found` if the message is no longer queued */
  changeQueued(id: string, messageId: string, change: Partial<Omit<QueuedMessage, 'id'>>): void
  unqueue(id: string, messageId: string): void
  /** Resolves when the turn has ended. */
  stop(id: string): Promise<void>
  retry(id: string): void
  resend(id: string, itemId: string, text: string, attachments?: Attachment[]): void
  continue(id: string): void
  /** Summarises the conversation to free space in the context window. Runs as a turn. */
  compact(id: string): void
  /** The whole conversation as text, with a file name. */
  export(id: string, format: ExportFormat): { name: string; text: string }
  /** Adds a conversation that was exported as JSON. @throws ToolError `invalid_arguments` */
  import(text: string): ConversationSnapshot
  /** The conversation that a window shows first: the one last used in this folder. */
  latest(): ConversationSnapshot | null
  /** Marks the card of an undone edit. */
  editUndone(editId: string): void
  /** Stops every turn. Resolves when all have ended. */
  stopAll(): Promise<void>
}

/** Handles every request about conversations, from windows and the command line. */
export function createAgent(deps: AgentDeps): Agent {
  const { store } = deps
  const live = createLiveConversations(deps)
  const turns = createRunningTurns(deps, live)
  const { use, shown, saveInfo, status } = live
  const { start } = turns

  const rewind = createRewind({
    store,
    checkpoints: deps.checkpoints,
    open: use,
    idle(id) {
      const entry = use(id)
      const busy = live.all().find(({ turn }) => turn)
      if (busy) throw new ToolError('conflict', `A turn is running in “${busy.info.title}”.`, 'Stop it first.')
      return entry
    },
    forget(id) {
      live.forget(id)
      store.delete(id)
    },
  })

  function idle(entry: LiveConversation): void {
    if (entry.turn) throw new ToolError('conflict', 'A turn is running in this conversation.', 'Stop it first.')
    notRestoring()
  }

  function notRestoring(): void {
    if (rewind.running())
      throw new ToolError('conflict', 'Files are being restored.', 'Wait until that has finished, then try again.')
  }

  const agent: Agent = {
    rewind,
    list: (query) => store.list(deps.root(), query),
    create(options = {}) {
      const settings = deps.settings()
      const now = Date.now()
      const model = options.model ?? deps.defaultModel()
      const info: ConversationInfo = {
        id: randomUUID(),
        title: options.title ?? 'New conversation',
        createdAt: now,
        updatedAt: now,
        workspace: deps.root(),
        mode: options.mode ?? settings.mode,
        toolset: options.toolset ?? defaultToolset(settings, model?.model),
        model,
      }
      store.save(info)
      const snapshotNow = shown(info.id)
      if (options.toolset !== undefined) use(info.id).toolsetChosen = true
      return snapshotNow
    },
    open: shown,
    update(id, change) {
      const entry = use(id)
      if (change.toolset !== undefined) entry.toolsetChosen = true
      const started = entry.transcript.items().some((item) => item.kind === 'user')
      // The toolset follows the model only until the first message: the history then refers to its tools.
      const follows = change.model !== undefined && !started && !entry.toolsetChosen
      return saveInfo(entry, {
        ...change,
        ...(follows && { toolset: defaultToolset(deps.settings(), change.model?.model) }),
        ...(change.mode === 'plan' && entry.info.mode !== 'plan' && { modeBeforePlan: entry.info.mode }),
      })
    },
    inUse: () => live.all().map(({ info }) => info.id),
    async delete(id) {
      await agent.stop(id)
      await turns.stopTitle(id)
      live.forget(id)
      const pictures = store.items(id).flatMap(imageIds)
      store.delete(id)
      deps.images.release(pictures)
    },
    send(id, text, { steer = false, attachments = [] } = {}) {
      const entry = use(id)
      if (entry.turn) {
        entry.queue.add({
          id: randomUUID(),
          text,
          ...(steer && { steer }),
          ...(attachments.length > 0 && { attachments }),
        })
        status(entry)
        return { queued: true }
      }
      notRestoring()
      if (!entry.transcript.items().some((item) => item.kind === 'user') && entry.info.title === 'New conversation') {
        saveInfo(entry, { title: titleOf(text) })
      } else saveInfo(entry, {})
      entry.transcript.record(userItem(randomUUID(), text, entry.info.mode, attachments))
      start(entry)
      return { queued: false }
    },
    changeQueued(id, messageId, change) {
      const entry = use(id)
      entry.queue.change(messageId, change)
      status(entry)
    },
    unqueue(id, messageId) {
      const entry = use(id)
      entry.queue.remove(messageId)
      status(entry)
    },
    async stop(id) {
      const turn = use(id).turn
      turn?.controller.abort()
      await turn?.ended
    },
    retry(id) {
      const entry = use(id)
      idle(entry)
      const items = entry.transcript.items()
      const last = items.findLastIndex((item) => item.kind === 'user' && !item.nudge)
      if (last < 0) throw new ToolError('not_found', 'There is no message to send again.', 'Type one.')
      const after = items[last + 1]
      if (after) entry.transcript.truncate(after.id)
      start(entry)
    },
    resend(id, itemId, text, attachments) {
      const entry = use(id)
      idle(entry)
      const item = entry.transcript.items().find((candidate) => candidate.id === itemId && candidate.kind === 'user')
      if (!item)
        throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
      // First the step that may fail, because it removes nothing.
      saveInfo(entry, {})
      entry.transcript.truncate(itemId)
      entry.transcript.record(userItem(randomUUID(), text, entry.info.mode, attachments))
      start(entry)
    },
    continue(id) {
      const entry = use(id)
      idle(entry)
      const last = entry.transcript.items().findLast((item) => item.kind !== 'notice')
      // Servers require a user message after an answer, but not after tool results.
      if (last?.kind === 'assistant') entry.transcript.record(userItem(randomUUID(), 'Continue.', entry.info.mode))
      start(entry)
    },
    compact(id) {
      const entry = use(id)
      idle(entry)
      start(entry, 'compact')
    },
    export(id, format) {
      const info = store.get(id)
      const items = live.find(id)?.transcript.items() ?? store.items(id)
      return {
        name: fileNameOf(info.title, format),
        text:
          format === 'json'
            ? toJson(info, items, (picture) => deps.images.read(picture)?.base64)
            : toMarkdown(info, items),
      }
    },
    import(text) {
      const {
        info: { title, createdAt, toolset },
        items,
        pictures,
      } = fromJson(text)
      // Stored under the hash of their bytes. An invalid picture fails before anything else is stored.
      for (const picture of Object.values(pictures))
        deps.images.add('A picture of the conversation', Buffer.from(picture, 'base64'))
      const made = { id: randomUUID(), createdAt, updatedAt: Date.now(), workspace: deps.root() }
      // The imported file must not decide what runs without approval.
      const info: ConversationInfo = {
        ...made,
        title,
        mode: deps.settings().mode,
        toolset,
        model: deps.defaultModel(),
      }
      store.add(info, items)
      return shown(info.id)
    },
    latest: () => live.latest(deps.root()),
    ...createApprovalCards(live),
    editUndone(editId) {
      for (const entry of live.all()) {
        const item = entry.transcript
          .items()
          .find(
            (candidate) =>
              candidate.kind === 'tool' &&
              candidate.result?.view.kind === 'diff' &&
              candidate.result.view.editId === editId,
          )
        if (item?.kind === 'tool') show(entry, { ...item, undone: true })
      }
    },
    stopAll: turns.stopAll,
  }
  return agent
}
