import type { ConversationInfo, ConversationItem, ConversationSnapshot } from '../../shared/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { log } from '../base/log/log.ts'
import { runsElsewhere, type Runner } from '../history/conversationRunner.ts'
import { cancelledCalls, noticeItem, userItem } from './items.ts'
import { createMessageQueue, type MessageQueue } from './messageQueue.ts'
import type { AgentDeps } from './agentDeps.ts'
import { stopped } from './rewind.ts'
import { createStoredTranscript, type StoredTranscript } from './transcript.ts'

/** A conversation in use. */
export interface LiveConversation {
  info: ConversationInfo
  transcript: StoredTranscript
  queue: MessageQueue
  /** Moves queued steering messages into the transcript. @returns whether there were any */
  takeSteered(): boolean
  /** Set while a turn runs. */
  turn?: { controller: AbortController; ended: Promise<void> }
  note?: string
  /** The toolset was chosen explicitly, so it no longer follows the model. */
  toolsetChosen: boolean
}

/** The conversations in memory. Reports their status to windows. */
export interface LiveConversations {
  all(): LiveConversation[]
  /** A conversation that is already in memory. */
  find(id: string): LiveConversation | undefined
  /** Loads a conversation to change it. @throws ToolError `conflict` while another process runs a turn of it; `not_found` */
  use(id: string): LiveConversation
  forget(id: string): void
  saveInfo(entry: LiveConversation, change: Partial<ConversationInfo>): ConversationInfo
  /** Emits whether a turn runs, and the queue. */
  status(entry: LiveConversation): void
  /** A snapshot to show. If another process runs a turn of the conversation, the stored state with a notice. */
  shown(id: string): ConversationSnapshot
  /** The conversation last shown for a folder, else the latest that no other process works on. */
  latest(root: string): ConversationSnapshot | null
}

/** Maximum number of idle conversations kept in memory, those used last. */
const maxIdle = 8

export function createLiveConversations({
  store,
  emit,
  settings,
}: Pick<AgentDeps, 'store' | 'emit' | 'settings'>): LiveConversations {
  const live = new Map<string, LiveConversation>()
  let lastShown: { workspace: string; id: string } | undefined

  /** The other process that runs a turn of a conversation, if any. */
  function elsewhere(id: string): Runner | undefined {
    if (live.get(id)?.turn) return undefined
    const runner = store.runner(id)
    return runsElsewhere(runner) ? runner : undefined
  }

  function use(id: string): LiveConversation {
    const runner = elsewhere(id)
    if (runner) {
      // Read again from the store once that process has finished.
      live.delete(id)
      throw new ToolError(
        'conflict',
        ranElsewhere(runner),
        'Wait until it has finished, or stop it in the other window.',
      )
    }
    const known = live.get(id)
    if (known) {
      // Moved to the end: the map is ordered by last use.
      live.delete(id)
      live.set(id, known)
      return known
    }
    const info = store.get(id)
    const transcript = createStoredTranscript(id, store, emit, (note) => {
      if (entry.note === note) return
      entry.note = note
      status(entry)
    })
    const entry: LiveConversation = {
      info,
      transcript,
      queue: createMessageQueue(id, store, new Set(transcript.items().map((item) => item.id))),
      takeSteered: () => takeSteered(entry),
      // A stored toolset other than the model's default was chosen explicitly.
      toolsetChosen: info.toolset !== defaultToolset(settings(), info.model?.model),
    }
    closeInterrupted(entry)
    live.set(id, entry)
    forgetIdle()
    return entry
  }

  /** Drops idle conversations from memory. They are read from the store when opened again. */
  function forgetIdle(): void {
    const idle = [...live].filter(
      ([id, { turn, queue, toolsetChosen, info }]) =>
        turn === undefined &&
        queue.list().length === 0 &&
        id !== lastShown?.id &&
        // An explicit choice that equals the model's default is known only in memory.
        (!toolsetChosen || info.toolset !== defaultToolset(settings(), info.model?.model)),
    )
    for (const [id] of idle.slice(0, Math.max(0, idle.length - maxIdle))) live.delete(id)
  }

  /** Closes the cards of a turn that was running when the process died, and offers to continue. */
  function closeInterrupted({ info: { id }, transcript }: LiveConversation): void {
    // A finished turn clears its runner. Between two requests only the runner shows that a turn was running.
    let interrupted = store.runner(id) !== undefined
    if (interrupted) store.setRunner(id, null)
    for (const item of transcript.items()) {
      if (item.kind === 'assistant' && item.state === 'streaming') {
        interrupted = true
        transcript.put({ ...item, state: 'stopped' })
      }
      if (item.kind === 'notice' && item.restore?.state === 'running')
        transcript.put(stopped(item, item.restore, 'Tizona was closed meanwhile.'))
      if (item.kind === 'tool' && (item.state === 'running' || item.state === 'approval' || item.state === 'streaming'))
        interrupted = true
    }
    for (const item of cancelledCalls(transcript.items())) transcript.put(item)
    if (interrupted) transcript.put(noticeItem('warning', 'Tizona was closed while this turn ran.', 'continue'))
  }

  function snapshot({ info, transcript, turn, queue }: LiveConversation): ConversationSnapshot {
    return { info, items: [...transcript.items()], running: turn !== undefined, queue: queue.list() }
  }

  function status(entry: LiveConversation): void {
    emit('conversation.status', {
      conversationId: entry.info.id,
      running: entry.turn !== undefined,
      queue: entry.queue.list(),
      note: entry.note,
    })
  }

  /** Records messages before it removes them from the queue, so that none is lost. */
  function takeSteered(entry: LiveConversation): boolean {
    const steering = entry.queue.list().filter(({ steer }) => steer)
    for (const { id, text, attachments } of steering) {
      entry.transcript.record({ ...userItem(id, text, entry.info.mode, attachments), steered: true })
      entry.queue.remove(id)
    }
    if (steering.length > 0) status(entry)
    return steering.length > 0
  }

  function shown(id: string): ConversationSnapshot {
    const runner = elsewhere(id)
    if (runner) live.delete(id)
    const shownNow: ConversationSnapshot = runner
      ? {
          info: store.get(id),
          items: [
            ...store.items(id),
            noticeItem(
              'info',
              `${ranElsewhere(runner)} It is read-only here. Open it again when the other process has finished.`,
            ),
          ],
          running: false,
          queue: [],
        }
      : snapshot(use(id))
    lastShown = { workspace: shownNow.info.workspace, id }
    return shownNow
  }

  return {
    all: () => [...live.values()],
    find: (id) => live.get(id),
    use,
    forget(id) {
      live.delete(id)
      if (lastShown?.id === id) lastShown = undefined
    },
    saveInfo(entry, change) {
      const info = { ...entry.info, ...change, updatedAt: Date.now() }
      store.save(info)
      entry.info = info
      emit('conversation.info', info)
      return info
    },
    status,
    shown,
    latest(root) {
      const id = lastShown?.workspace === root ? lastShown.id : store.list(root).find((info) => !elsewhere(info.id))?.id
      return id === undefined ? null : shown(id)
    },
  }
}

/** Adds an item. A failure of the store is only logged. */
export function show({ transcript }: LiveConversation, item: ConversationItem): void {
  attempt(() => transcript.put(item))
}

/** Runs an action whose failure, such as a full disk, is logged and does not stop the caller. */
export function attempt(act: () => void): void {
  try {
    act()
  } catch (error) {
    log.error('A conversation could not be stored', error)
  }
}

function ranElsewhere({ pid }: Runner): string {
  return `Another Tizona is working on this conversation (process ${pid}).`
}
