import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  ConversationInfo,
  ConversationItem,
  ListedConversation,
  QueuedMessage,
} from '../../shared/agent/conversation.ts'
import { profileChoices } from '../../shared/agent/promptProfile.ts'
import { ToolError } from '../../shared/errors.ts'
import { modes, toolsetNames, type Mode, type ToolsetName } from '../../shared/tools/risk.ts'
import { runnerSchema, type Runner } from './conversationRunner.ts'
import { searchText } from './searchTexts.ts'
import { inTransaction, statement } from './sqlStatement.ts'

/** Stored conversations and their items. Each call is a small statement; nothing is cached. */
export interface ConversationStore extends ConversationItems {
  /**
   * Lists at most 500 conversations: pinned ones first, then the latest. With a query, lists those that contain all its
   * words, best match first.
   */
  list(workspace: string | readonly string[], query?: string): ListedConversation[]
  /** Lists the conversations of a workspace that were made from another one, latest first. */
  copies(id: string, workspace: string): ConversationInfo[]
  /** Like `list`, with the process that `runner` returns for each. */
  listWithRunners(workspace: string): { info: ConversationInfo; runner: Runner | undefined }[]
  /** @throws ToolError `not_found` */
  get(id: string): ConversationInfo
  /** Saves a conversation. The labels of one that exists stay, because another process may have changed them. */
  save(info: ConversationInfo): void
  /** Changes what the user calls a conversation and where it is listed. This is no use of it. */
  label(id: string, labels: Partial<ConversationLabels>): void
  /** Adds a conversation with its items atomically. */
  add(info: ConversationInfo, items: readonly ConversationItem[]): void
  delete(id: string): void
  /** Returns the process that started a turn of a conversation and has not reported its end. */
  runner(id: string): Runner | undefined
  setRunner(id: string, runner: Runner | null): void
  /** Returns the messages waiting for a turn to end. */
  queue(id: string): QueuedMessage[]
  /** Replaces the queue with the result of `change`, atomically across processes. Null leaves it unchanged. */
  changeQueue(id: string, change: (queue: QueuedMessage[]) => readonly QueuedMessage[] | null): void
}

export type ConversationLabels = Pick<ConversationInfo, 'title' | 'pinned' | 'archived'>

export function labelsOf({ title, pinned = false, archived = false }: ConversationInfo): Required<ConversationLabels> {
  return { title, pinned, archived }
}

/** Creates the conversation store in an open database (history/database.ts). */
export function createConversationStore(db: DatabaseSync): ConversationStore {
  const getOne = statement(db, 'SELECT * FROM conversations WHERE id = ?')
  const upsert = statement(
    db,
    `INSERT INTO conversations (id, workspace, title, created_at, updated_at, mode, toolset, endpoint_id, model, profile, forked_from, pinned, mode_before_plan, agent, agent_session, archived)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, mode = excluded.mode, toolset = excluded.toolset,
       endpoint_id = excluded.endpoint_id, model = excluded.model, profile = excluded.profile,
       mode_before_plan = excluded.mode_before_plan, agent = excluded.agent, agent_session = excluded.agent_session`,
  )
  const putLabels = statement(
    db,
    `UPDATE conversations SET title = coalesce(?2, title), pinned = coalesce(?3, pinned), archived = coalesce(?4, archived)
     WHERE id = ?1`,
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
      archived,
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
      archived ? 1 : 0,
    )
  }

  function queue(id: string): QueuedMessage[] {
    const stored = getQueue.get(id)?.queue
    // The cast is safe, because only this file writes the column, always from a list of messages.
    return typeof stored === 'string' ? (JSON.parse(stored) as QueuedMessage[]) : []
  }

  return {
    ...createConversationLists(db),
    get(id) {
      const row = getOne.get(id)
      if (!row) throw new ToolError('not_found', 'This conversation no longer exists.', 'Start a new one.')
      return toInfo(row)
    },
    save,
    label(id, { title, pinned, archived }) {
      const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value))
      putLabels.run(id, title ?? null, flag(pinned), flag(archived))
    },
    add(info, items) {
      inTransaction(db, () => {
        save(info)
        for (const item of items) conversationItems.saveItem(info.id, item)
      })
    },
    delete: (id) => void remove.run(id),
    ...conversationItems,
    runner: (id) => toRunner(getRunner.get(id)?.runner),
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

function createConversationLists(db: DatabaseSync): Pick<ConversationStore, 'list' | 'copies' | 'listWithRunners'> {
  const listAll = statement(
    db,
    `SELECT * FROM conversations WHERE workspace IN (SELECT value FROM json_each(?))
     ORDER BY pinned DESC, updated_at DESC, rowid DESC LIMIT 500`,
  )
  const listCopies = statement(
    db,
    'SELECT * FROM conversations WHERE workspace = ? AND forked_from = ? ORDER BY created_at DESC',
  )
  const search = createConversationSearch(db)
  return {
    list(workspace, query) {
      const workspaces = JSON.stringify([workspace].flat())
      const found = query === undefined ? null : search(workspaces, query)
      return found
        ? found.map(({ row, excerpt }) => ({ ...toInfo(row), excerpt }))
        : listAll.all(workspaces).map(toInfo)
    },
    copies: (id, workspace) => listCopies.all(workspace, id).map(toInfo),
    listWithRunners: (workspace) =>
      listAll.all(JSON.stringify([workspace])).map((row) => ({ info: toInfo(row), runner: toRunner(row.runner) })),
  }
}

function toRunner(stored: unknown): Runner | undefined {
  return typeof stored === 'string' ? runnerSchema.parse(JSON.parse(stored)) : undefined
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
    ...(row.archived === 1 ? { archived: true } : {}),
    ...(typeof row.agent === 'string' ? { agent: row.agent } : {}),
    ...(typeof row.agent_session === 'string' ? { agentSession: row.agent_session } : {}),
    modeBeforePlan: modes.find((mode) => mode === row.mode_before_plan),
  }
}

function oneOf<T extends string>(values: readonly T[], value: unknown, otherwise: T): T {
  return values.find((candidate) => candidate === value) ?? otherwise
}

/** Stored items of conversations. */
interface ConversationItems {
  items(id: string): ConversationItem[]
  /** Returns up to `count` items from the end, in order. */
  latestItems(id: string, count: number): ConversationItem[]
  /** Appends an item, or replaces the one with the same id in place. */
  saveItem(id: string, item: ConversationItem): void
  /** Saves all items or none. */
  saveItems(id: string, items: readonly ConversationItem[]): void
  /** Deletes an item and all later ones. */
  truncate(id: string, fromItemId: string): void
}

function createConversationItems(db: DatabaseSync): ConversationItems {
  const selectItems = statement(db, 'SELECT json FROM items WHERE conversation_id = ? ORDER BY position')
  const selectLatest = statement(db, 'SELECT json FROM items WHERE conversation_id = ? ORDER BY position DESC LIMIT ?')
  const upsertItem = statement(
    db,
    `INSERT INTO items (conversation_id, id, position, text, json)
     VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM items WHERE conversation_id = ?1), ?3, ?4)
     ON CONFLICT (conversation_id, id) DO UPDATE SET text = excluded.text, json = excluded.json`,
  )
  const removeFrom = statement(
    db,
    'DELETE FROM items WHERE conversation_id = ?1 AND position >= (SELECT position FROM items WHERE conversation_id = ?1 AND id = ?2)',
  )
  const selectUndone = statement(db, 'SELECT 1 FROM edits WHERE id = ? AND undone = 1')

  /** Marks undone edits, because an edit may be undone while its conversation is not loaded. */
  function withUndone(item: ConversationItem): ConversationItem {
    if (item.kind !== 'tool' || item.undone || item.result?.view.kind !== 'diff') return item
    const { editId } = item.result.view
    return editId !== undefined && selectUndone.get(editId) ? { ...item, undone: true } : item
  }

  const saveItem = (id: string, item: ConversationItem): void =>
    void upsertItem.run(id, item.id, searchText(item), JSON.stringify(item))

  return {
    // The cast is safe, because only this file writes the column, always from a ConversationItem.
    items: (id) => selectItems.all(id).map((row) => withUndone(JSON.parse(String(row.json)) as ConversationItem)),
    latestItems: (id, count) =>
      selectLatest
        .all(id, count)
        .map((row) => withUndone(JSON.parse(String(row.json)) as ConversationItem))
        .toReversed(),
    saveItem,
    saveItems(id, items) {
      if (items.length === 1 && items[0]) return saveItem(id, items[0])
      return inTransaction(db, () => items.forEach((item) => saveItem(id, item)))
    },
    truncate: (id, fromItemId) => void removeFrom.run(id, fromItemId),
  }
}

interface FoundConversation {
  row: Record<string, SQLOutputValue>
  /** Text around the match; undefined if only the title matches. */
  excerpt?: string
}

/** Maximum number of query words. Further words are ignored. */
const maxWords = 8
/** Maximum number of results. Each needs a query for its excerpt. */
const maxResults = 100
/** Maximum UTF-16 units of an excerpt before the match, and in total. */
const maxLead = 30
const maxExcerpt = 140

/**
 * Returns a function that finds conversations of workspaces, a JSON list, whose titles, messages or tool names contain all words of a query. Also
 * matches inside longer words, which a full-text index would miss.
 * @returns matches in titles first, then pinned conversations, then the latest; null for a query without words
 */
function createConversationSearch(db: DatabaseSync): (workspaces: string, query: string) => FoundConversation[] | null {
  const find = statement(
    db,
    `SELECT *, (SELECT count(*) FROM json_each(?2) word WHERE c.title LIKE word.value ESCAPE '\\') AS in_title FROM conversations c
     WHERE workspace IN (SELECT value FROM json_each(?1)) AND NOT EXISTS (
       SELECT 1 FROM json_each(?2) word WHERE c.title NOT LIKE word.value ESCAPE '\\'
         AND NOT EXISTS (SELECT 1 FROM items i WHERE i.conversation_id = c.id AND i.text LIKE word.value ESCAPE '\\'))
     ORDER BY in_title DESC, pinned DESC, updated_at DESC, rowid DESC LIMIT ${maxResults}`,
  )
  /** Finds the item that contains the most words; of several, the latest. */
  const best = statement(
    db,
    `SELECT text, (SELECT count(*) FROM json_each(?2) word WHERE i.text LIKE word.value ESCAPE '\\') AS words FROM items i
     WHERE conversation_id = ?1 AND words > 0 ORDER BY words DESC, position DESC LIMIT 1`,
  )
  return (workspaces, query) => {
    const words = query.split(/\s+/).filter(Boolean).slice(0, maxWords)
    if (words.length === 0) return null
    const patterns = JSON.stringify(
      words.map((word) => `%${word.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`),
    )
    return find.all(workspaces, patterns).map((row) => {
      const text = best.get(String(row.id), patterns)?.text
      return typeof text === 'string' ? { row, excerpt: excerptOf(text, words) } : { row }
    })
  }
}

/** Returns one line of text around the first match. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const start = at <= maxLead ? 0 : at - maxLead
  const cut = text
    .slice(start, start + maxExcerpt)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + maxExcerpt < text.length ? '…' : ''}`
}
