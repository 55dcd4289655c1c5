import type { TurnOutcome } from '../../shared/conversation.ts'
import { toFailure } from '../../shared/errors.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { thisRunner } from '../history/conversationRunner.ts'
import { runConversation } from './turn.ts'
import { attempt, show, type LiveConversation, type LiveConversations } from './liveConversations.ts'
import { cancelledCalls, noticeItem, userItem } from './items.ts'
import type { AgentDeps } from './agentDeps.ts'
import { createTitles } from './titles.ts'
import { log } from '../base/log/log.ts'

/** The turns that run, from their beginning to the next one's. */
export interface Turns {
  /** Starts a turn of a conversation that has none. What waits there follows when it ends well. */
  start(entry: LiveConversation, task?: 'turn' | 'compact'): void
  /** Asks for no title of it any more; resolves when none is asked. */
  stopTitle(id: string): Promise<void>
  /** Ends every turn and begins none of those that wait; resolves when all have ended. */
  stopAll(): Promise<void>
}

export function createTurns(deps: AgentDeps, { all, find, saveInfo, status }: LiveConversations): Turns {
  const { store, emit } = deps
  const titles = createTitles(deps)
  /** While every turn is ended no other begins with a message that waits. */
  let leaving = false

  function start(entry: LiveConversation, task: 'turn' | 'compact' = 'turn'): void {
    // Before anything tells of the turn: whoever opens the conversation after a kill must know that there was one.
    attempt(() => store.setRunner(entry.info.id, thisRunner()))
    const controller = new AbortController()
    entry.turn = { controller, ended: runToEnd(entry, controller.signal, task) }
    status(entry)
  }

  /** A turn from its beginning to `turnEnded`, which comes whatever happens. Never throws. */
  async function runToEnd(entry: LiveConversation, signal: AbortSignal, task: 'turn' | 'compact'): Promise<void> {
    // Yield first, so that the caller's answer leaves before the turn's events do.
    await Promise.resolve()
    const { id } = entry.info
    let outcome: TurnOutcome
    try {
      outcome = await runConversation(
        deps,
        entry,
        (model) =>
          saveInfo(
            entry,
            entry.toolsetChosen ? { model } : { model, toolset: defaultToolset(deps.settings(), model.model) },
          ),
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
  function improveTitle(entry: LiveConversation): void {
    const items = entry.transcript.items()
    const users = items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
    const [first] = users
    const answer = items.findLast((item) => item.kind === 'assistant')
    const { id, title } = entry.info
    if (users.length !== 1 || !first || !answer || title !== titleOf(first.text) || leaving) return
    titles.ask(id, first.text, answer.text, (better) => {
      // The user may have named or deleted it meanwhile.
      if (find(id) === entry && entry.info.title === title) attempt(() => void saveInfo(entry, { title: better }))
    })
  }

  /** An error inside Tizona ended a turn: said in the window, and in the conversation where the store still takes it. */
  function turnFailed(entry: LiveConversation, error: unknown): void {
    log.error('A turn failed', error)
    const { message, next } = toFailure(error)
    emit('notice', { level: 'error', message: `The turn stopped. ${message}`, detail: next })
    for (const item of cancelledCalls(entry.transcript.items())) show(entry, item)
    show(entry, noticeItem('error', `The turn stopped. ${message}\n${next}`.trim(), 'retry'))
  }

  return {
    start,
    stopTitle: (id) => titles.stop(id),
    async stopAll() {
      const running = all().flatMap((entry) => entry.turn ?? [])
      leaving = true
      for (const turn of running) turn.controller.abort()
      await Promise.all([...running.map((turn) => turn.ended), titles.stop()])
      leaving = false
    },
  }
}

/** The first line of the first message, cut at a word near 60 characters. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  if (line.length <= 60) return line || 'New conversation'
  return `${line.slice(0, 60).replace(/\s+\S*$/, '')}…`
}
