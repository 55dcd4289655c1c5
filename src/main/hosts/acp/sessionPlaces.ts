import { RequestError } from '@agentclientprotocol/sdk'
import type { ConversationInfo, ConversationSnapshot } from '../../../shared/agent/conversation.ts'
import { ToolError } from '../../../shared/errors.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import type { SessionRecord } from '../../core/coreContract.ts'
import type { Folder, FolderCores } from './folderCores.ts'
import type { SessionSettings } from './configOptions.ts'

// Where the sessions of a connection work: in the folder of the client, or in a worktree of it.

/** What is done in a worktree that was just made. */
type WorktreeStep<T> = (folder: Folder, made: SessionRecord) => Promise<T>

/** A session whose place can be chosen. */
interface PlacedSession {
  id: string
  folder: Folder
  settings: SessionSettings
  /** Ends the set-up of the worktree that the session is moving to. */
  moving?: AbortController
}

export interface SessionPlaces {
  /** Whether a worktree is being made of a folder. */
  isOrigin(folder: Folder): boolean
  /**
   * Makes a worktree of a folder, opens it and runs a step in it. If the step fails, removes the worktree, unless files
   * are only there.
   *
   * @throws ToolError or RequestError if none can be made
   */
  withWorktree<T>(origin: Folder, signal: AbortSignal, step: WorktreeStep<T>): Promise<T>
  /**
   * Chooses where a session works, before its first message. Closing the session aborts this.
   *
   * @param place a `Place`
   * @throws RequestError if it cannot be chosen any more
   */
  choose(session: PlacedSession, place: unknown): Promise<void>
}

interface SessionPlacesDeps {
  folders: FolderCores
  /** Whether a session works in a folder. @param root its real path */
  hasSession(root: string): boolean
  /** Makes a session work in a folder. @param origin root of the folder that the client opened */
  moveTo(session: PlacedSession, folder: Folder, snapshot: ConversationSnapshot, origin: string): void
}

const never = new AbortController().signal

export function createSessionPlaces({ folders, hasSession, moveTo }: SessionPlacesDeps): SessionPlaces {
  /** The folders that worktrees are being made of, one for each worktree. */
  const origins = new Set<{ folder: Folder }>()

  async function withWorktree<T>(origin: Folder, signal: AbortSignal, step: WorktreeStep<T>): Promise<T> {
    const entry = { folder: origin }
    origins.add(entry)
    try {
      await folders.makeRoom()
      return await inNewWorktree(origin, signal, step)
    } finally {
      origins.delete(entry)
    }
  }

  async function inNewWorktree<T>({ core, root }: Folder, signal: AbortSignal, step: WorktreeStep<T>): Promise<T> {
    const { session: made, skipped } = await core.sessions.create({ folder: root })
    if (skipped.length > 0)
      log.warn(`tizona acp: not copied, because they lead outside or exist: ${skipped.join(', ')}.`)
    try {
      const folder = await folders.open(made.worktree)
      await prepareWorktree(folder.core, made, signal)
      signal.throwIfAborted()
      return await step(folder, made)
    } catch (error) {
      // This process uses it while it is open. Another request may have begun a session in it, which then stays.
      if (!hasSession(made.worktree)) await folders.close(made.worktree)
      await core.sessions.remove(made.id).catch((problem: unknown) => {
        log.error(`tizona acp: the worktree ${made.worktree} stays. "tizona sessions remove" removes it.`, problem)
      })
      throw error
    }
  }

  /**
   * Begins a conversation in a worktree of its folder instead.
   *
   * @throws ToolError if it has begun, or if no worktree can be made
   */
  async function moveToWorktree(session: PlacedSession, signal: AbortSignal): Promise<void> {
    const { id, folder: origin } = session
    const { core, root } = origin
    await emptyConversation(core, id)
    await withWorktree(origin, signal, async (folder, made) => {
      // A window of Tizona may have begun it meanwhile.
      const info = await emptyConversation(core, id)
      await core.sessions.setConversation(made.id, id)
      await core.handlers['conversations.delete']({ id }, never)
      const created = await folder.core.handlers['conversations.create']({ id }, never)
      const chosen = { mode: info.mode, toolset: info.toolset, ...(info.model && { model: info.model }) }
      const moved = await folder.core.handlers['conversations.update']({ id, ...chosen }, never)
      moveTo(session, folder, { ...created, info: moved }, root)
    })
  }

  return {
    isOrigin: (folder) => [...origins].some((origin) => origin.folder === folder),
    withWorktree,
    choose: (session, place) => choosePlace(session, place, () => abortable(session, moveToWorktree)),
  }
}

/** @throws RequestError if the client may not choose the place */
async function choosePlace(session: PlacedSession, place: unknown, moveToWorktree: () => Promise<void>): Promise<void> {
  const [, option] = session.settings.options()
  if (option?.currentValue === place) return
  const isOffered = option?.type === 'select' && option.options.some((each) => 'value' in each && each.value === place)
  if (!isOffered)
    throw RequestError.invalidParams(
      { place },
      'Where a session works can only be chosen before its first message, in a git repository: folder or worktree.',
    )
  await moveToWorktree()
}

/** Runs a move, which closing the session aborts. */
async function abortable(
  session: PlacedSession,
  move: (session: PlacedSession, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const moving = new AbortController()
  session.moving = moving
  try {
    await move(session, moving.signal)
  } finally {
    delete session.moving
  }
}

/** Returns a conversation without messages. @throws ToolError `conflict` if it has some, or a turn runs in it */
async function emptyConversation({ handlers }: Core, id: string): Promise<ConversationInfo> {
  const { info, items, running, queue } = await handlers['conversations.open']({ id }, never)
  if (!running && items.length === 0 && queue.length === 0) return info
  throw new ToolError(
    'conflict',
    'This session has messages already, so it stays in its folder.',
    'Begin another session to work in a worktree.',
  )
}

/** Returns the record of the worktree that a session of a folder works in. */
export async function recordOf({ core, root }: Folder, id: string): Promise<SessionRecord | undefined> {
  return (await core.sessions.records([root])).find(({ conversation }) => conversation === id)
}

/** Returns the worktree that a session of a folder works in. @throws RequestError, or ToolError if it is missing */
export async function worktreeOf(folder: Folder, id: string): Promise<string> {
  const { core, root } = folder
  const made = await recordOf(folder, id)
  if (made === undefined) throw RequestError.sessionNotFound(id)
  const { state } = (await core.sessions.list(root)).find((each) => each.id === made.id) ?? { state: 'missing' }
  if (state === 'ready') return made.worktree
  throw new ToolError(
    'not_found',
    `The worktree of this session cannot be opened: ${made.worktree} (${state}).`,
    'Check the folder, or begin another session.',
  )
}

/** Runs the approved set-up command of the folder in a new worktree. @throws ToolError if it fails */
async function prepareWorktree({ sessions }: Core, made: SessionRecord, signal: AbortSignal): Promise<void> {
  const found = await sessions.setUpCommand(made.folder)
  if (found?.approved === false)
    log.warn(`tizona acp: the set-up command "${found.command}" is not approved. Approve it in the window of Tizona.`)
  if (found?.approved !== true) return
  const result = await sessions.setUp(made, signal)
  signal.throwIfAborted()
  if (result?.exitCode === 0) return
  log.error(`tizona acp: output of the set-up command "${found.command}":\n${result?.output ?? ''}`)
  throw new ToolError(
    'io_error',
    `The set-up command of worktrees failed: ${found.command}`,
    'Its output is in the log. Correct the command in .tizona/settings.json.',
  )
}
