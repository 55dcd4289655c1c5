import { randomUUID } from 'node:crypto'
import { outerCallId, type ApprovalRequest } from '../../shared/approval.ts'
import type { ConversationInfo, ConversationItem, ConversationSnapshot, ExportFormat, ListedConversation, ModelChoice, QueuedMessage, ToolItem, TurnOutcome } from '../../shared/conversation.ts'
import type { Attachment } from '../../shared/attachments.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { Mode, ToolsetName } from '../../shared/risk.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { fromJson, toJson } from '../history/export/exported.ts'
import { fileNameOf, toMarkdown } from '../history/export/markdown.ts'
import { runsElsewhere, thisRunner, type Runner } from '../history/runner.ts'
import { runConversation } from './conversationTurn.ts'
import { cancelledCalls, noticeItem, userItem } from './loop.ts'
import { createMessageQueue, type MessageQueue } from './messageQueue.ts'
import type { AgentParts } from './parts.ts'
import { createRewind, stopped, type Rewind } from './rewind.ts'
import { createTitles } from './titles.ts'
import { createTranscript, type LiveTranscript } from './transcript.ts'

interface Live {
  info: ConversationInfo
  transcript: LiveTranscript
  queue: MessageQueue
  /** Puts the messages to steer with into the transcript. @returns whether there were any */
  takeSteered(): boolean
  /** Set while a turn runs. */
  turn?: { controller: AbortController; ended: Promise<void> }
  note?: string
  /** The user, or who began it, named its toolset: it does not follow the model any more. */
  toolsetChosen: boolean
}

export interface Agent {
  /** Going back to an earlier message, and forks. */
  readonly rewind: Rewind
  list(query?: string): ListedConversation[]
  create(options?: { model?: ModelChoice; mode?: Mode; toolset?: ToolsetName; title?: string }): ConversationSnapshot
  open(id: string): ConversationSnapshot
  update(id: string, change: Partial<Pick<ConversationInfo, 'title' | 'mode' | 'toolset' | 'model' | 'profile' | 'pinned'>>): ConversationInfo
  delete(id: string): Promise<void>
  /** Starts a turn. While one runs the message waits for its end, or with `steer` for the end of the calls at hand. */
  send(id: string, text: string, options?: { steer?: boolean; /** What the message carries, read already. */ attachments?: Attachment[] }): { queued: boolean }
  /** Throws `not_found` when the message does not wait any more. */
  changeQueued(id: string, messageId: string, change: Partial<Omit<QueuedMessage, 'id'>>): void
  unqueue(id: string, messageId: string): void
  /** Resolves when the turn has ended. */
  stop(id: string): Promise<void>
  retry(id: string): void
  resend(id: string, itemId: string, text: string, attachments?: Attachment[]): void
  continue(id: string): void
  /** Summarises what was said so far, so that the model's window has room again. Runs like a turn. */
  compact(id: string): void
  /** The whole conversation as a text, with a name for its file. */
  export(id: string, format: ExportFormat): { name: string; text: string }
  /** Adds a conversation that was exported as JSON. Throws `invalid_arguments`. */
  import(text: string): ConversationSnapshot
  /** The conversation a window should show: the one last used in this folder. */
  latest(): ConversationSnapshot | null
  /** A call waits for the user: its card shows the question. */
  approvalRequested(request: ApprovalRequest): void
  /** It was answered or withdrawn. */
  approvalResolved(requestId: string): void
  /** An edit was taken back: its card says so from now on. */
  editUndone(editId: string): void
  /** Ends every turn; resolves when all have ended. */
  stopAll(): Promise<void>
}

/** Conversations in use: turns, queue, and what the window is told of them. */
export function createAgent(parts: AgentParts): Agent {
  const { store, emit } = parts
  const live = new Map<string, Live>()
  const waiting = new Map<string, ApprovalRequest>()
  const titles = createTitles(parts)
  /** While every turn is ended no other begins with a message that waits. */
  let leaving = false
  let lastShown: { workspace: string; id: string } | undefined

  /** The other process that runs a turn of a conversation now. */
  function elsewhere(id: string): Runner | undefined {
    if (live.get(id)?.turn) return undefined
    const runner = store.runner(id)
    return runsElsewhere(runner) ? runner : undefined
  }

  /** To change a conversation. Throws `conflict` while another process runs a turn of it. */
  function use(id: string): Live {
    const runner = elsewhere(id)
    if (runner) {
      // What it writes is read anew afterwards.
      live.delete(id)
      throw new ToolError('conflict', ranElsewhere(runner), 'Wait until it has ended, or stop it where it runs.')
    }
    const known = live.get(id)
    if (known) return known
    const info = store.get(id)
    const transcript = createTranscript(id, store, emit, (note) => {
      if (entry.note === note) return
      entry.note = note
      status(entry)
    })
    const entry: Live = {
      info,
      transcript,
      queue: createMessageQueue(id, store, new Set(transcript.items().map((item) => item.id))),
      takeSteered: () => takeSteered(entry),
      // One that is read from the store has the toolset its model suggests, or somebody chose another.
      toolsetChosen: info.toolset !== defaultToolset(parts.settings(), info.model?.model),
    }
    closeInterrupted(entry)
    live.set(id, entry)
    return entry
  }

  const rewind = createRewind({
    store,
    checkpoints: parts.checkpoints,
    open: use,
    idle(id) {
      const entry = use(id)
      const busy = [...live.values()].find(({ turn }) => turn)
      if (busy) throw new ToolError('conflict', `A turn is under way in “${busy.info.title}”.`, 'Stop it first.')
      return entry
    },
    forget(id) {
      live.delete(id)
      store.delete(id)
    },
  })

  /** A turn that was under way when the process died cannot go on: its cards say so and the user can continue it. */
  function closeInterrupted({ info: { id }, transcript }: Live): void {
    // A turn that ends says so; between two requests no item tells that it was under way.
    let interrupted = store.runner(id) !== undefined
    if (interrupted) store.setRunner(id, null)
    for (const item of transcript.items()) {
      if (item.kind === 'assistant' && item.state === 'streaming') {
        interrupted = true
        transcript.put({ ...item, state: 'stopped' })
      }
      if (item.kind === 'notice' && item.restore?.state === 'running') transcript.put(stopped(item, item.restore, 'Tizona was closed meanwhile.'))
      if (item.kind === 'tool' && (item.state === 'running' || item.state === 'approval' || item.state === 'streaming')) interrupted = true
    }
    for (const item of cancelledCalls(transcript.items())) transcript.put(item)
    if (interrupted) transcript.put(noticeItem('warning', 'Tizona was closed while this turn ran.', 'continue'))
  }

  function snapshot({ info, transcript, turn, queue }: Live): ConversationSnapshot {
    return { info, items: [...transcript.items()], running: turn !== undefined, queue: queue.list() }
  }

  function status(entry: Live): void {
    emit('conversation.status', { conversationId: entry.info.id, running: entry.turn !== undefined, queue: entry.queue.list(), note: entry.note })
  }

  /** The card of the call a request belongs to: of the outer call where the request is a nested one's. */
  function callOf({ conversationId, callId }: ApprovalRequest): { entry: Live; item: ToolItem } | undefined {
    const entry = conversationId === undefined ? undefined : live.get(conversationId)
    const item = entry?.transcript.items().findLast((candidate) => candidate.id === outerCallId(callId))
    return entry && item?.kind === 'tool' ? { entry, item } : undefined
  }

  function saveInfo(entry: Live, change: Partial<ConversationInfo>): ConversationInfo {
    const info = { ...entry.info, ...change, updatedAt: Date.now() }
    store.save(info)
    entry.info = info
    emit('conversation.info', entry.info)
    return entry.info
  }

  function idle(entry: Live): void {
    if (entry.turn) throw new ToolError('conflict', 'A turn is under way in this conversation.', 'Stop it first.')
    notRestoring()
  }

  function notRestoring(): void {
    if (rewind.running()) throw new ToolError('conflict', 'Files are being restored.', 'Wait until that has ended, then try again.')
  }

  function start(entry: Live, task: 'turn' | 'compact' = 'turn'): void {
    // Before anything tells of the turn: whoever opens the conversation after a kill must know that there was one.
    attempt(() => store.setRunner(entry.info.id, thisRunner()))
    const controller = new AbortController()
    entry.turn = { controller, ended: runToEnd(entry, controller.signal, task) }
    status(entry)
  }

  /** A turn from its beginning to `turnEnded`, which comes whatever happens. Never throws. */
  async function runToEnd(entry: Live, signal: AbortSignal, task: 'turn' | 'compact'): Promise<void> {
    // Yield first, so that the caller's answer leaves before the turn's events do.
    await Promise.resolve()
    const { id } = entry.info
    let outcome: TurnOutcome
    try {
      outcome = await runConversation(
        parts,
        entry,
        (model) => saveInfo(entry, entry.toolsetChosen ? { model } : { model, toolset: defaultToolset(parts.settings(), model.model) }),
        signal,
        task,
      )
      entry.transcript.flush()
    } catch (error) {
      outcome = 'failed'
      turnFailed(entry, error)
    }
    attempt(() => store.setRunner(id, null))
    entry.turn = undefined
    status(entry)
    emit('conversation.turnEnded', { conversationId: id, outcome })
    if (outcome === 'done') improveTitle(entry)
    const next = outcome === 'done' || outcome === 'approval_needed' ? entry.queue.list()[0] : undefined
    if (!next || leaving) return
    try {
      entry.transcript.record(userItem(next.id, next.text, entry.info.mode, next.attachments))
      entry.queue.remove(next.id)
      start(entry)
    } catch (error) {
      turnFailed(entry, error)
    }
  }

  /** After its first turn a conversation that still has its first line for a title may get a better one. */
  function improveTitle(entry: Live): void {
    const items = entry.transcript.items()
    const users = items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
    const [first] = users
    const answer = items.findLast((item) => item.kind === 'assistant')
    const { id, title } = entry.info
    if (users.length !== 1 || !first || !answer || title !== titleOf(first.text) || leaving) return
    titles.ask(id, first.text, answer.text, (better) => {
      // The user may have named or deleted it meanwhile.
      if (live.get(id) === entry && entry.info.title === title) attempt(() => void saveInfo(entry, { title: better }))
    })
  }

  /** Recorded first and then taken out of the queue, so that a message is never in neither. */
  function takeSteered(entry: Live): boolean {
    const steering = entry.queue.list().filter(({ steer }) => steer)
    for (const { id, text, attachments } of steering) {
      entry.transcript.record({ ...userItem(id, text, entry.info.mode, attachments), steered: true })
      entry.queue.remove(id)
    }
    if (steering.length > 0) status(entry)
    return steering.length > 0
  }

  /** An error inside Tizona ended a turn: said in the window, and in the conversation where the store still takes it. */
  function turnFailed(entry: Live, error: unknown): void {
    console.error('turn:', error)
    const { message, next } = toFailure(error)
    emit('notice', { level: 'error', message: `The turn stopped. ${message}`, detail: next })
    for (const item of cancelledCalls(entry.transcript.items())) show(entry, item)
    show(entry, noticeItem('error', `The turn stopped. ${message}\n${next}`.trim(), 'retry'))
  }

  /** Puts an item that is worth showing even when it cannot be stored. */
  function show({ transcript }: Live, item: ConversationItem): void {
    attempt(() => transcript.put(item))
  }

  /** To show a conversation. One that another process works on is shown as far as that has got, and a notice says so. */
  function shown(id: string): ConversationSnapshot {
    const runner = elsewhere(id)
    if (runner) live.delete(id)
    const shownNow: ConversationSnapshot = runner
      ? { info: store.get(id), items: [...store.items(id), noticeItem('info', `${ranElsewhere(runner)} It can be read here; open it again when it has ended.`)], running: false, queue: [] }
      : snapshot(use(id))
    lastShown = { workspace: shownNow.info.workspace, id }
    return shownNow
  }

  const agent: Agent = {
    rewind,
    list: (query) => store.list(parts.root(), query),
    create(options = {}) {
      const settings = parts.settings()
      const now = Date.now()
      const model = options.model ?? parts.defaultModel()
      const info: ConversationInfo = {
        id: randomUUID(),
        title: options.title ?? 'New conversation',
        createdAt: now,
        updatedAt: now,
        workspace: parts.root(),
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
      const begun = entry.transcript.items().some((item) => item.kind === 'user')
      // Before the first message it follows the model; afterwards the history speaks of the tools it has.
      const follows = change.model !== undefined && !begun && !entry.toolsetChosen
      return saveInfo(entry, {
        ...change,
        ...(follows && { toolset: defaultToolset(parts.settings(), change.model?.model) }),
        ...(change.mode === 'plan' && entry.info.mode !== 'plan' && { modeBeforePlan: entry.info.mode }),
      })
    },
    async delete(id) {
      await agent.stop(id)
      await titles.stop(id)
      live.delete(id)
      const pictures = store.items(id).flatMap(imagesOf)
      store.delete(id)
      parts.images.release(pictures)
      if (lastShown?.id === id) lastShown = undefined
    },
    send(id, text, { steer = false, attachments = [] } = {}) {
      const entry = use(id)
      if (entry.turn) {
        entry.queue.add({ id: randomUUID(), text, ...(steer && { steer }), ...(attachments.length > 0 && { attachments }) })
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
      if (!item) throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
      // First what may fail and takes nothing away.
      saveInfo(entry, {})
      entry.transcript.truncate(itemId)
      entry.transcript.record(userItem(randomUUID(), text, entry.info.mode, attachments))
      start(entry)
    },
    continue(id) {
      const entry = use(id)
      idle(entry)
      const last = entry.transcript.items().findLast((item) => item.kind !== 'notice')
      // A server wants a user's word after an assistant's; after tool results it can go straight on.
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
      const items = live.get(id)?.transcript.items() ?? store.items(id)
      return { name: fileNameOf(info.title, format), text: format === 'json' ? toJson(info, items, (picture) => parts.images.read(picture)?.base64) : toMarkdown(info, items) }
    },
    import(text) {
      const { info: { title, createdAt, toolset }, items, pictures } = fromJson(text)
      // Kept under the hash of their bytes again; one that is no picture fails before anything is stored.
      for (const picture of Object.values(pictures)) parts.images.add('A picture of the conversation', Buffer.from(picture, 'base64'))
      const made = { id: randomUUID(), createdAt, updatedAt: Date.now(), workspace: parts.root() }
      // What may run unasked is for the user here to say, not for a file.
      const info: ConversationInfo = { ...made, title, mode: parts.settings().mode, toolset, model: parts.defaultModel() }
      store.add(info, items)
      return shown(info.id)
    },
    latest() {
      const root = parts.root()
      const id = lastShown?.workspace === root ? lastShown.id : store.list(root).find((info) => !elsewhere(info.id))?.id
      return id === undefined ? null : shown(id)
    },
    approvalRequested(request) {
      waiting.set(request.id, request)
      const call = callOf(request)
      if (call) show(call.entry, { ...call.item, state: 'approval', approval: request })
    },
    approvalResolved(requestId) {
      const resolved = waiting.get(requestId)
      waiting.delete(requestId)
      const call = resolved && callOf(resolved)
      // A call's own answer is told by the executor; that of a nested one leaves the outer call running, or waiting for the next.
      if (!call || call.item.id === resolved.callId || call.item.state !== 'approval') return
      const next = [...waiting.values()].find((request) => outerCallId(request.callId) === call.item.id)
      show(call.entry, { ...call.item, state: next ? 'approval' : 'running', approval: next })
    },
    editUndone(editId) {
      for (const entry of live.values()) {
        const item = entry.transcript.items().find((candidate) => candidate.kind === 'tool' && candidate.result?.view.kind === 'diff' && candidate.result.view.editId === editId)
        if (item?.kind === 'tool') show(entry, { ...item, undone: true })
      }
    },
    async stopAll() {
      const turns = [...live.values()].flatMap((entry) => entry.turn ?? [])
      leaving = true
      for (const turn of turns) turn.controller.abort()
      await Promise.all([...turns.map((turn) => turn.ended), titles.stop()])
      leaving = false
    },
  }
  return agent
}

/** Does what must not stop what it is part of; a failure, as of a full disk, goes to the log. */
function attempt(act: () => void): void {
  try {
    act()
  } catch (error) {
    console.error('The store of conversations:', error)
  }
}

function ranElsewhere({ pid }: Runner): string {
  return `Another Tizona is working on this conversation (process ${pid}).`
}

function imagesOf(item: ConversationItem): string[] {
  return item.kind === 'user' ? (item.attachments ?? []).flatMap((attachment) => (attachment.kind === 'image' ? [attachment.id] : [])) : []
}

/** The first line of the first message, cut at a word near 60 characters. */
function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  if (line.length <= 60) return line || 'New conversation'
  return `${line.slice(0, 60).replace(/\s+\S*$/, '')}…`
}
