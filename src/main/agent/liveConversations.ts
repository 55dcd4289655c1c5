import { isDeepStrictEqual } from 'node:util'
import type {
  ConversationInfo,
  ConversationItem,
  ConversationSnapshot,
  ModelChoice,
  QueuedMessage,
  UserItem,
} from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import { modelNames } from '../../shared/models/modelName.ts'
import type { ToolsetName } from '../../shared/tools/risk.ts'
import { defaultToolset } from '../../shared/tools/toolsetSuggestion.ts'
import { log } from '../base/log/log.ts'
import { runsElsewhere, type Runner } from '../history/conversationRunner.ts'
import { labelsOf, type ConversationLabels, type ConversationStore } from '../history/conversations.ts'
import type { AgentDeps } from './agentDeps.ts'
import { userItem, cancelledCalls, noticeItem } from './conversation/items.ts'
import { createMessageQueue, type MessageQueue } from './messageQueue.ts'
import { createOtherProcesses, emitDifference, otherRunnerText } from './otherProcesses.ts'
import { outsideSource } from './outsideMessages.ts'
import { unfinishedRestore } from './restoreNotices.ts'
import { createStoredTranscript, type StoredTranscript } from './conversation/transcript.ts'

/** A conversation in memory. */
export interface LiveConversation {
  info: ConversationInfo
  transcript: StoredTranscript
  queue: MessageQueue
  /** Moves queued steering messages into the transcript. @returns whether there were any */
  takeSteered(): boolean
  /** The running calls of the turn by the id of their item. */
  calls: Map<string, AbortController>
  /** Set while a turn runs. */
  turn?: {
    controller: AbortController
    ended: Promise<void>
    /** Ids of the queued messages for which the turn is being stopped. The first one is sent when it has ended. */
    stoppedFor: string[]
  }
  /** Status beside the spinner, such as "Loading model…". */
  note?: string
  /** Whether the user chose the toolset, so that it no longer follows the model. */
  toolsetChosen: boolean
}

/** The conversations in memory. Reports their status to windows. */
export interface LiveConversations {
  all(): LiveConversation[]
  find(id: string): LiveConversation | undefined
  /**
   * Loads a conversation to change it.
   * @throws ToolError `conflict` while another process runs a turn of it; `not_found`
   */
  use(id: string): LiveConversation
  /** Returns the items of a conversation. A turn whose process ended is closed first. @throws ToolError `not_found` */
  items(id: string): readonly ConversationItem[]
  /** Removes a conversation from memory. */
  forget(id: string): void
  /** Saves a use of a conversation, with what else has changed. */
  saveInfo(entry: LiveConversation, change: Partial<Omit<ConversationInfo, keyof ConversationLabels>>): ConversationInfo
  /** Changes the labels of a conversation, also while another process runs a turn of it. @throws ToolError `not_found` */
  label(id: string, labels: Partial<ConversationLabels>): ConversationInfo
  /** Sends the queue, and whether a turn is running, to the windows. */
  status(entry: LiveConversation): void
  /** Changes the queue of a conversation, also while another process runs a turn of it. */
  changeQueue(id: string, change: (queue: MessageQueue) => void): void
  /** Queues a message for the turn that another process runs. @returns false if none does */
  queueElsewhere(id: string, message: QueuedMessage): boolean
  /** Stops following other processes. */
  close(): void
  /**
   * Returns a conversation to show: while another process runs a turn of it, the stored state with a notice.
   */
  snapshot(id: string): ConversationSnapshot
  /** Returns the conversation that a window shows. */
  shown(): { workspace: string; id: string } | undefined
  /** Returns the conversation last shown for a folder, otherwise the latest that no other process works on. */
  latest(root: string): ConversationSnapshot | null
}

/** Maximum number of idle conversations in memory. The least recently used are removed first. */
const maxIdle = 8

export function createLiveConversations(
  deps: Pick<AgentDeps, 'store' | 'emit' | 'settings' | 'originalName' | 'onOutsideContent'>,
): LiveConversations {
  const { store, emit } = deps
  /** Ordered by last use. */
  const live = new Map<string, LiveConversation>()
  const others = createOtherProcesses({ store, emit }, () =>
    [...live].flatMap(([id, entry]) =>
      entry.turn ? [{ id, queue: entry.queue.list, report: () => status(entry) }] : [],
    ),
  )
  const status = (entry: LiveConversation) => {
    if (entry.turn) others.watchQueue(entry.info.id, entry.queue.list())
    sendStatus(emit, entry)
  }
  let lastShown: { workspace: string; id: string } | undefined

  /** Returns the other process that runs a turn of a conversation. */
  function otherRunner(id: string): Runner | undefined {
    const runner = live.get(id)?.turn ? undefined : store.runner(id)
    return runsElsewhere(runner) ? runner : undefined
  }

  function use(id: string): LiveConversation {
    const runner = otherRunner(id)
    if (runner) {
      // Removed from memory, because the other process changes the stored items.
      live.delete(id)
      throw new ToolError(
        'conflict',
        otherRunnerText(runner),
        'Wait until it has finished, or stop it in the other window.',
      )
    }
    const known = live.get(id)
    live.delete(id)
    others.forget(id)
    const stored = known && store.get(id)
    if (stored && (known.turn || stored.updatedAt === known.info.updatedAt)) {
      live.set(id, known)
      takeLabels(known, stored, emit)
      return known
    }
    const entry = load(deps, id, status)
    closeInterruptedTurn(store, entry.info.id, entry.transcript)
    live.set(id, entry)
    // Another process has worked on it since.
    if (known) {
      emitDifference(emit, id, known.transcript.items(), entry.transcript.items())
      emit('conversation.info', entry.info)
    }
    forgetIdle(live, deps, lastShown?.id)
    return entry
  }

  function snapshot(id: string): ConversationSnapshot {
    const runner = otherRunner(id)
    if (runner) live.delete(id)
    const current = runner ? others.show(id, runner) : liveSnapshot(use(id))
    lastShown = { workspace: current.info.workspace, id }
    return current
  }

  return {
    all: () => [...live.values()],
    find: (id) => live.get(id),
    use,
    items: (id) => (otherRunner(id) ? store.items(id) : use(id).transcript.items()),
    forget(id) {
      live.delete(id)
      if (lastShown?.id === id) lastShown = undefined
    },
    saveInfo(entry, change) {
      store.save({ ...entry.info, ...change, updatedAt: Date.now() })
      entry.info = store.get(entry.info.id)
      emit('conversation.info', entry.info)
      return entry.info
    },
    label: (id, labels) => label(deps, live.get(id), id, labels),
    status,
    changeQueue(id, change) {
      if (otherRunner(id)) {
        others.changeQueue(id, change)
        return
      }
      const entry = use(id)
      change(entry.queue)
      status(entry)
    },
    queueElsewhere(id, message) {
      if (!otherRunner(id)) return false
      let added = false
      others.changeQueue(id, (queue) => {
        added = queue.addWhile(() => otherRunner(id) !== undefined, message)
      })
      if (added) live.delete(id)
      return added
    },
    close: others.close,
    snapshot,
    shown: () => lastShown,
    latest(root) {
      const id =
        lastShown?.workspace === root ? lastShown.id : store.list(root).find((info) => !otherRunner(info.id))?.id
      return id === undefined ? null : snapshot(id)
    },
  }
}

/** Takes over the labels that another process has changed. */
function takeLabels(entry: LiveConversation, stored: ConversationInfo, emit: AgentDeps['emit']): void {
  if (isDeepStrictEqual(labelsOf(stored), labelsOf(entry.info))) return
  entry.info = { ...entry.info, ...labelsOf(stored) }
  emit('conversation.info', entry.info)
}

/** @param entry the conversation in memory, if it is there */
function label(
  { store, emit }: Pick<AgentDeps, 'store' | 'emit'>,
  entry: LiveConversation | undefined,
  id: string,
  labels: Partial<ConversationLabels>,
): ConversationInfo {
  store.label(id, labels)
  const stored = store.get(id)
  if (entry) entry.info = { ...entry.info, ...labelsOf(stored) }
  const info = entry?.info ?? stored
  emit('conversation.info', info)
  return info
}

/** Reads a conversation from the store. */
function load(
  deps: Pick<AgentDeps, 'store' | 'emit' | 'settings' | 'originalName' | 'onOutsideContent'>,
  id: string,
  status: LiveConversations['status'],
): LiveConversation {
  const { store, emit, onOutsideContent } = deps
  const info = store.get(id)
  const transcript = createStoredTranscript(id, store, emit, (note) => {
    if (entry.note === note) return
    entry.note = note
    status(entry)
  })
  const entry: LiveConversation = {
    info,
    transcript,
    calls: new Map(),
    queue: createMessageQueue(id, store, new Set(transcript.items().map((item) => item.id))),
    takeSteered() {
      const taken = takeSteered(entry, onOutsideContent)
      if (taken) status(entry)
      return taken
    },
    // A stored toolset other than the model's default was chosen explicitly.
    toolsetChosen: !hasDefaultToolset(deps, info),
  }
  return entry
}

/** Removes idle conversations from memory. They are loaded again when they are used. */
function forgetIdle(live: Map<string, LiveConversation>, deps: ToolsetDeps, shown: string | undefined): void {
  const idle = [...live].filter(
    ([id, { turn, queue, toolsetChosen, info }]) =>
      turn === undefined &&
      queue.list().length === 0 &&
      id !== shown &&
      // The store does not show that the model's default was chosen explicitly.
      !(toolsetChosen && hasDefaultToolset(deps, info)),
  )
  for (const [id] of idle.slice(0, Math.max(0, idle.length - maxIdle))) live.delete(id)
}

function hasDefaultToolset(deps: ToolsetDeps, { toolset, model }: ConversationInfo): boolean {
  return toolset === toolsetFor(deps, model)
}

type ToolsetDeps = Pick<AgentDeps, 'settings' | 'originalName'>

/** Returns the toolset of a new conversation. An alias of a model hides its family, so the model behind it decides. */
export function toolsetFor(deps: ToolsetDeps, choice: ModelChoice | undefined): ToolsetName {
  return defaultToolset(deps.settings(), choice && modelNames(choice.model, deps.originalName?.(choice)))
}

function sendStatus(emit: AgentDeps['emit'], { info, turn, queue, note }: LiveConversation): void {
  emit('conversation.status', { conversationId: info.id, running: turn !== undefined, queue: queue.list(), note })
}

/** Records each message before it removes it from the queue, so that none is lost. @returns whether there were any */
function takeSteered(
  { queue, transcript, info }: LiveConversation,
  onOutsideContent: AgentDeps['onOutsideContent'],
): boolean {
  const steering = queue.list().filter(({ steer }) => steer)
  for (const message of steering) {
    const item: UserItem = { ...userItem(message.id, message.text, info.mode, message), steered: true }
    const source = outsideSource([item])
    if (source !== undefined) onOutsideContent(info.id, source)
    transcript.record(item)
    queue.remove(message.id)
  }
  return steering.length > 0
}

function liveSnapshot({ info, transcript, turn, queue }: LiveConversation): ConversationSnapshot {
  return { info, items: [...transcript.items()], running: turn !== undefined, queue: queue.list() }
}

/** Adds or replaces an item. Logs a failure of the store. */
export function tryPut({ transcript }: LiveConversation, item: ConversationItem): void {
  tryStore(() => transcript.put(item))
}

/** Runs a write to the store. Logs a failure, such as a full disk, so that the caller can continue. */
export function tryStore(write: () => void): void {
  try {
    write()
  } catch (error) {
    log.error('A conversation could not be stored', error)
  }
}

/** Closes the cards of a turn that was running when its process ended, and offers to continue it. */
function closeInterruptedTurn(store: ConversationStore, id: string, transcript: StoredTranscript): void {
  // A turn that ends clears its runner. Between two requests, only the runner shows that a turn was running.
  let interrupted = store.runner(id) !== undefined
  if (interrupted) store.setRunner(id, null)
  for (const item of transcript.items()) {
    if (item.kind === 'assistant' && item.state === 'streaming') {
      interrupted = true
      transcript.put({ ...item, state: 'stopped' })
    }
    if (item.kind === 'notice' && item.restore?.state === 'running')
      transcript.put(unfinishedRestore(item, item.restore, 'Tizona was closed in the meantime.'))
  }
  for (const call of cancelledCalls(transcript.items())) {
    interrupted = true
    // Commands end with the process that started them.
    transcript.put(call.job ? { ...call, job: { ...call.job, state: 'killed' } } : call)
  }
  if (interrupted) transcript.put(noticeItem('warning', 'Tizona was closed while this turn ran.', 'continue'))
}
