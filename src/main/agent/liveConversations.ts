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
  /** Puts the messages to steer with into the transcript. @returns whether there were any */
  takeSteered(): boolean
  /** Set while a turn runs. */
  turn?: { controller: AbortController; ended: Promise<void> }
  note?: string
  /** The user, or who began it, named its toolset: it does not follow the model any more. */
  toolsetChosen: boolean
}

/** The conversations in use, and what windows are told of each. */
export interface LiveConversations {
  all(): LiveConversation[]
  /** One that is in use already. */
  find(id: string): LiveConversation | undefined
  /** To change a conversation. Throws `conflict` while another process runs a turn of it, and `not_found`. */
  use(id: string): LiveConversation
  forget(id: string): void
  saveInfo(entry: LiveConversation, change: Partial<ConversationInfo>): ConversationInfo
  /** Tells whether a turn runs, and what waits. */
  status(entry: LiveConversation): void
  /** To show a conversation. One that another process works on is shown as far as that has got, and a notice says so. */
  shown(id: string): ConversationSnapshot
  /** The one last shown of a folder, or else the latest that no other process works on. */
  latest(root: string): ConversationSnapshot | null
}

/** Conversations that nothing happens in and that stay in memory all the same: those used last. */
const maxIdle = 8

export function createLiveConversations({
  store,
  emit,
  settings,
}: Pick<AgentDeps, 'store' | 'emit' | 'settings'>): LiveConversations {
  const live = new Map<string, LiveConversation>()
  let lastShown: { workspace: string; id: string } | undefined

  /** The other process that runs a turn of a conversation now. */
  function elsewhere(id: string): Runner | undefined {
    if (live.get(id)?.turn) return undefined
    const runner = store.runner(id)
    return runsElsewhere(runner) ? runner : undefined
  }

  function use(id: string): LiveConversation {
    const runner = elsewhere(id)
    if (runner) {
      // What it writes is read anew afterwards.
      live.delete(id)
      throw new ToolError('conflict', ranElsewhere(runner), 'Wait until it has ended, or stop it where it runs.')
    }
    const known = live.get(id)
    if (known) {
      // To the end: the order of the map is that of use.
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
      // One that is read from the store has the toolset its model suggests, or somebody chose another.
      toolsetChosen: info.toolset !== defaultToolset(settings(), info.model?.model),
    }
    closeInterrupted(entry)
    live.set(id, entry)
    forgetIdle()
    return entry
  }

  /** Everything of an idle conversation is in the store, which is read again when it is opened. */
  function forgetIdle(): void {
    const idle = [...live].filter(
      ([id, { turn, queue, toolsetChosen, info }]) =>
        turn === undefined &&
        queue.list().length === 0 &&
        id !== lastShown?.id &&
        // The choice of a toolset that its model would have suggested as well is known here only.
        (!toolsetChosen || info.toolset !== defaultToolset(settings(), info.model?.model)),
    )
    for (const [id] of idle.slice(0, Math.max(0, idle.length - maxIdle))) live.delete(id)
  }

  /** A turn that was under way when the process died cannot go on: its cards say so and the user can continue it. */
  function closeInterrupted({ info: { id }, transcript }: LiveConversation): void {
    // A turn that ends says so; between two requests no item tells that it was under way.
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

  /** Recorded first and then taken out of the queue, so that a message is never in neither. */
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
            noticeItem('info', `${ranElsewhere(runner)} It can be read here; open it again when it has ended.`),
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

/** Puts an item that is worth showing even when it cannot be stored. */
export function show({ transcript }: LiveConversation, item: ConversationItem): void {
  attempt(() => transcript.put(item))
}

/** Does what must not stop what it is part of; a failure, as of a full disk, goes to the log. */
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
