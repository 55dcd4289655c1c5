import type { DatabaseSync } from 'node:sqlite'
import type {
  ConversationInfo,
  ConversationItem,
  ListedConversation,
  QueuedMessage,
} from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import { profileChoices } from '../../shared/agent/promptProfile.ts'
import { modes, toolsetNames, type Mode, type ToolsetName } from '../../shared/tools/risk.ts'
import { createConversationItems, type ConversationItems } from './conversationItems.ts'
import { createConversationSearch } from './conversationSearch.ts'
import { runnerSchema, type Runner } from './conversationRunner.ts'
import { inTransaction, statement } from './sqlStatement.ts'

/** Stored conversations and their items. Each call is a small statement; nothing is cached. */
export interface ConversationStore extends ConversationItems {
  /**
   * Lists at most 500 conversations: pinned ones first, then the latest. With a query, lists those that contain all its
   * words, the best match first.
   */
  list(workspace: string, query?: string): ListedConversation[]
  /** @throws ToolError `not_found` */
  get(id: string): ConversationInfo
  save(info: ConversationInfo): void
  /** Adds a conversation with its items atomically. */
  add(info: ConversationInfo, items: readonly ConversationItem[]): void
  delete(id: string): void
  /** Returns the process that started a turn of a conversation and has not reported its end. */
  runner(id: string): Runner | undefined
  setRunner(id: string, runner: Runner | null): void
  /** Returns the messages waiting for a turn to end. */
  queue(id: string): QueuedMessage[]
  /** Replaces the queue by what `change` makes of it; no other process changes it meanwhile. Null: it stays. */
  changeQueue(id: string, change: (queue: QueuedMessage[]) => readonly QueuedMessage[] | null): void
}

/** Creates the conversation store in an open database (history/database.ts). */
export function createConversationStore(db: DatabaseSync): ConversationStore {
  const listAll = statement(
    db,
    'SELECT * FROM conversations WHERE workspace = ? ORDER BY pinned DESC, updated_at DESC, rowid DESC LIMIT 500',
  )
  const search = createConversationSearch(db)
  const getOne = statement(db, 'SELECT * FROM conversations WHERE id = ?')
  const upsert = statement(
    db,
    `INSERT INTO conversations (id, workspace, title, created_at, updated_at, mode, toolset, endpoint_id, model, profile, forked_from, pinned, mode_before_plan, agent, agent_session)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET title = excluded.title, updated_at = excluded.updated_at, mode = excluded.mode, toolset = excluded.toolset,
       endpoint_id = excluded.endpoint_id, model = excluded.model, profile = excluded.profile, pinned = excluded.pinned,
       mode_before_plan = excluded.mode_before_plan, agent = excluded.agent, agent_session = excluded.agent_session`,
  )
  const remove = statement(db, 'DELETE FROM conversations WHERE id = ?')
  const conversationItems = createConversationItems(db)
  const getRunner = statement(db, 'SELECT runner FROM conversations WHERE id = ?')
  const putRunner = statement(db, 'UPDATE conversations SET runner = ? WHERE id = ?')
  const getQueue = statement(db, 'SELECT queue FROM conversations WHERE id = ?')
  const putQueue = statement(db, 'UPDATE conversations SET queue = ? WHERE id = ?')

  function save(info: ConversationInfo): void {
    const {
      id,
      workspace,
      title,
      createdAt,
      updatedAt,
      mode,
      toolset,
      model,
      profile,
      forkedFrom,
      pinned,
      modeBeforePlan,
      agent,
      agentSession,
    } = info
    const choices = [mode, toolset, model?.endpointId ?? null, model?.model ?? null, profile ?? null]
    upsert.run(
      id,
      workspace,
      title,
      createdAt,
      updatedAt,
      ...choices,
      forkedFrom ?? null,
      pinned ? 1 : 0,
      modeBeforePlan ?? null,
      agent ?? null,
      agentSession ?? null,
    )
  }

  function queue(id: string): QueuedMessage[] {
    const stored = getQueue.get(id)?.queue
    // The cast is safe, because only this file writes the column, always from a list of messages.
    return typeof stored === 'string' ? (JSON.parse(stored) as QueuedMessage[]) : []
  }

  return {
    list(workspace, query) {
      const found = query === undefined ? null : search(workspace, query)
      return found ? found.map(({ row, excerpt }) => ({ ...toInfo(row), excerpt })) : listAll.all(workspace).map(toInfo)
    },
    get(id) {
      const row = getOne.get(id)
      if (!row) throw new ToolError('not_found', 'This conversation no longer exists.', 'Start a new one.')
      return toInfo(row)
    },
    save,
    add(info, items) {
      inTransaction(db, () => {
        save(info)
        for (const item of items) conversationItems.saveItem(info.id, item)
      })
    },
    delete: (id) => void remove.run(id),
    ...conversationItems,
    runner(id) {
      const stored = getRunner.get(id)?.runner
      return typeof stored === 'string' ? runnerSchema.parse(JSON.parse(stored)) : undefined
    },
    setRunner: (id, runner) => void putRunner.run(runner && JSON.stringify(runner), id),
    queue,
    changeQueue(id, change) {
      inTransaction(db, () => {
        const changed = change(queue(id))
        if (changed) putQueue.run(changed.length > 0 ? JSON.stringify(changed) : null, id)
      })
    },
  }
}

function toInfo(row: Record<string, unknown>): ConversationInfo {
  return {
    id: String(row.id),
    workspace: String(row.workspace),
    title: String(row.title),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    mode: oneOf<Mode>(modes, row.mode, 'safe'),
    toolset: oneOf<ToolsetName>(toolsetNames, row.toolset, 'blade'),
    model: typeof row.endpoint_id === 'string' ? { endpointId: row.endpoint_id, model: String(row.model) } : undefined,
    profile: profileChoices.find((choice) => choice === row.profile),
    ...(typeof row.forked_from === 'string' ? { forkedFrom: row.forked_from } : {}),
    ...(row.pinned === 1 ? { pinned: true } : {}),
    ...(typeof row.agent === 'string' ? { agent: row.agent } : {}),
    ...(typeof row.agent_session === 'string' ? { agentSession: row.agent_session } : {}),
    modeBeforePlan: modes.find((mode) => mode === row.mode_before_plan),
  }
}

function oneOf<T extends string>(values: readonly T[], value: unknown, otherwise: T): T {
  return values.find((candidate) => candidate === value) ?? otherwise
}
