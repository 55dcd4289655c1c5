import type { QueuedMessage, TurnOutcome } from '../../shared/agent/conversation.ts'
import { toFailure } from '../../shared/errors.ts'
import { currentRunner } from '../history/conversationRunner.ts'
import { runExternalTurn } from './external/externalTurn.ts'
import { runConversation } from './turn.ts'
import { toolsetFor, tryPut, tryStore, type LiveConversation, type LiveConversations } from './liveConversations.ts'
import { cancelledCalls, noticeItem, userItem } from './conversation/items.ts'
import type { AgentDeps } from './agentDeps.ts'
import type { WarmUp } from './warmUp.ts'
import { outsideSource } from './outsideMessages.ts'
import { createTitles } from './titles.ts'
import { log } from '../base/log/log.ts'

/** Starts and stops turns, and starts the next turn for queued messages. */
export interface RunningTurns {
  /** Starts a turn in an idle conversation, which is then no longer archived. Queued messages follow if it succeeds. */
  start(entry: LiveConversation, task?: 'turn' | 'compact'): void
  /** Cancels the title that is being generated. Resolves when no request is running. */
  stopTitle(id: string): Promise<void>
  /** Whether every turn is being stopped, so that none may start. */
  stopping(): boolean
  /** Stops every turn and starts no queued ones. Resolves when all have ended. */
  stopAll(): Promise<void>
}

const ownContext = 'The agent of this conversation manages its context itself, so Tizona cannot compact it.'

export function createRunningTurns(
  deps: AgentDeps,
  { all, find, saveInfo, label, status }: LiveConversations,
  warmUp: Pick<WarmUp, 'stop'>,
): RunningTurns {
  const { store, emit } = deps
  const titles = createTitles(deps)
  /** Whether all turns are being stopped. Queued messages then start no new ones. */
  let stopping = false

  function start(entry: LiveConversation, task: 'turn' | 'compact' = 'turn'): void {
    if (entry.info.archived === true) tryStore(() => void label(entry.info.id, { archived: false }))
    // The runner is stored first, so that the turn is recognized as interrupted if the process is killed now.
    tryStore(() => store.setRunner(entry.info.id, currentRunner()))
    const source = outsideSource(entry.transcript.items())
    if (source !== undefined) deps.onOutsideContent(entry.info.id, source)
    const controller = new AbortController()
    const stoppedFor: string[] = []
    entry.turn = { controller, ended: runToEnd(entry, controller.signal, task, stoppedFor), stoppedFor }
    status(entry)
  }

  /** Runs a turn. Always emits `turnEnded` and never throws. */
  async function runToEnd(
    entry: LiveConversation,
    signal: AbortSignal,
    task: 'turn' | 'compact',
    stoppedFor: readonly string[],
  ): Promise<void> {
    // Also yields, so that the caller's response is sent before the turn's events.
    await warmUp.stop()
    const { id } = entry.info
    let outcome: TurnOutcome
    try {
      outcome =
        entry.info.agent === undefined ? await runOwn(entry, signal, task) : await runExternal(entry, signal, task)
      entry.transcript.flush()
    } catch (error) {
      outcome = 'failed'
      turnFailed(entry, error, emit)
    }
    const next = nextOrEnd(store, entry, !stopping && continues(outcome, signal, stoppedFor))
    entry.turn = undefined
    status(entry)
    emit('conversation.turnEnded', { conversationId: id, outcome })
    if (outcome === 'done' || outcome === 'truncated') improveTitle(entry)
    if (!next) return
    try {
      entry.transcript.record(userItem(next.id, next.text, entry.info.mode, next))
      entry.queue.remove(next.id)
      start(entry)
    } catch (error) {
      tryStore(() => store.setRunner(id, null))
      turnFailed(entry, error, emit)
    }
  }

  const runOwn = (entry: LiveConversation, signal: AbortSignal, task: 'turn' | 'compact'): Promise<TurnOutcome> =>
    runConversation(
      deps,
      entry,
      (model) => saveInfo(entry, entry.toolsetChosen ? { model } : { model, toolset: toolsetFor(deps, model) }),
      signal,
      task,
    )

  async function runExternal(
    entry: LiveConversation,
    signal: AbortSignal,
    task: 'turn' | 'compact',
  ): Promise<TurnOutcome> {
    await deps.settingsApplied?.()
    if (deps.externalAgents && task === 'turn')
      return runExternalTurn(
        deps,
        deps.externalAgents,
        entry,
        (agentSession) => saveInfo(entry, { agentSession }),
        signal,
      )
    tryPut(entry, noticeItem('info', ownContext))
    return 'done'
  }

  /** After the first turn, replaces a title that is still the first line of the message. */
  function improveTitle(entry: LiveConversation): void {
    const items = entry.transcript.items()
    const users = items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
    const [first] = users
    const answer = items.findLast((item) => item.kind === 'assistant')
    const { id, title } = entry.info
    if (users.length !== 1 || !first || !answer || title !== titleOf(first.text) || stopping) return
    titles.generate(id, first.text, answer.text, (better) => {
      // The user may have renamed or deleted the conversation in the meantime.
      if (find(id) === entry && entry.info.title === title) tryStore(() => void label(id, { title: better }))
    })
  }

  return {
    start,
    stopping: () => stopping,
    stopTitle: (id) => titles.stop(id),
    async stopAll() {
      const running = all().flatMap((entry) => entry.turn ?? [])
      stopping = true
      for (const turn of running) turn.controller.abort()
      await Promise.all([...running.map((turn) => turn.ended), titles.stop(), warmUp.stop()])
      stopping = false
    },
  }
}

/** Whether a queued message follows a turn. It may succeed just when it is stopped. */
function continues(outcome: TurnOutcome, { aborted }: AbortSignal, stoppedFor: readonly string[]): boolean {
  return stoppedFor.length > 0 || (!aborted && ['done', 'truncated', 'approval_needed'].includes(outcome))
}

/** Returns the next queued message, or marks the turn as ended if there is none or it may not follow. */
function nextOrEnd(
  store: AgentDeps['store'],
  { info, queue }: LiveConversation,
  mayFollow: boolean,
): QueuedMessage | undefined {
  let next: QueuedMessage | undefined
  // Both in one transaction, because another process adds messages only while the turn runs.
  tryStore(() =>
    store.changeQueue(info.id, () => {
      next = mayFollow ? queue.list()[0] : undefined
      if (!next) store.setRunner(info.id, null)
      return null
    }),
  )
  return next
}

/** Reports an internal error that ended a turn, in the window and, if the store still works, in the conversation. */
function turnFailed(entry: LiveConversation, error: unknown, emit: AgentDeps['emit']): void {
  log.error('A turn failed', error)
  const { message, next } = toFailure(error)
  emit('notice', { level: 'error', message: `The turn stopped. ${message}`, detail: next })
  for (const item of cancelledCalls(entry.transcript.items())) tryPut(entry, item)
  tryPut(entry, noticeItem('error', `The turn stopped. ${message}\n${next}`.trim(), 'retry'))
}

/** Returns a title for a first message: its first line, truncated after a word at about 60 characters. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  if (line.length <= 60) return line || 'New conversation'
  return `${line.slice(0, 60).replace(/\s+\S*$/, '')}…`
}
