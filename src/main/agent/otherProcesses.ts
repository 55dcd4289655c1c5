import type { ConversationItem, ConversationSnapshot, QueuedMessage } from '../../shared/agent/conversation.ts'
import { runsElsewhere, type Runner } from '../history/conversationRunner.ts'
import type { AgentDeps } from './agentDeps.ts'
import { noticeItem } from './conversation/items.ts'
import { createMessageQueue, type MessageQueue } from './messageQueue.ts'

/** Interval at which changes by other processes are polled, in milliseconds. */
const intervalMs = 500

/**
 * Polls what other processes change: the queue of a turn that runs here, and a conversation that is shown here while
 * its turn runs elsewhere. Polls only while there is such a conversation.
 */
export interface OtherProcesses {
  /** Shows a conversation whose turn runs in another process, and follows it until that has ended. */
  show(id: string, runner: Runner): ConversationSnapshot
  /** Changes the queue of a conversation whose turn runs in another process, and sends it to the window. */
  changeQueue(id: string, change: (queue: MessageQueue) => void): void
  /** Stops following the shown conversation. */
  forget(id: string): void
  /** Reports changes of the queue by others as long as `running` returns the conversation. @param queue as reported */
  watchQueue(id: string, queue: readonly QueuedMessage[]): void
  close(): void
}

/** @param running the conversations with a turn in this process */
export function createOtherProcesses(
  { store, emit }: Pick<AgentDeps, 'store' | 'emit'>,
  running: () => readonly { id: string; queue: () => QueuedMessage[]; report: () => void }[],
): OtherProcesses {
  let timer: NodeJS.Timeout | undefined
  let shown: { id: string; items: ConversationItem[]; queue: string } | undefined
  /** The last seen queues of the turns in this process. */
  const seen = new Map<string, string>()

  const unsent = (id: string, items: readonly ConversationItem[]): QueuedMessage[] =>
    store.queue(id).filter((message) => !items.some((item) => item.id === message.id))

  function itemsWith(id: string, runner: Runner | undefined): ConversationItem[] {
    const stored = [...store.items(id)]
    return runner ? [...stored, noticeItem('info', otherRunnerText(runner) + waitsText)] : stored
  }

  /** Sends new items of the shown conversation. */
  function lookAtShown(): void {
    if (!shown) return
    const { id } = shown
    const runner = otherRunner(id)
    const queue = unsent(id, shown.items)
    if (runner && JSON.stringify(queue) === shown.queue) return
    const items = itemsWith(id, runner)
    emitDifference(emit, id, shown.items, items)
    shown = runner && { id, items, queue: JSON.stringify(unsent(id, items)) }
    const place = runner && ({ elsewhere: true } as const)
    emit('conversation.status', {
      conversationId: id,
      running: runner !== undefined,
      ...place,
      queue: unsent(id, items),
    })
    if (!runner) emit('conversation.info', store.get(id))
  }

  function otherRunner(id: string): Runner | undefined {
    const runner = store.runner(id)
    return runsElsewhere(runner) ? runner : undefined
  }

  function look(): void {
    lookAtShown()
    const here = running()
    for (const id of seen.keys()) if (!here.some((each) => each.id === id)) seen.delete(id)
    for (const { id, queue, report } of here) {
      const now = JSON.stringify(queue())
      if (seen.get(id) !== now) report()
    }
    if (here.length === 0 && !shown) close()
  }

  function start(): void {
    timer ??= setInterval(look, intervalMs).unref()
  }

  function close(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    show(id, runner) {
      const items = itemsWith(id, runner)
      const queue = unsent(id, items)
      shown = { id, items, queue: JSON.stringify(queue) }
      start()
      return { info: store.get(id), items, running: true, elsewhere: true, queue }
    },
    changeQueue(id, change) {
      change(createMessageQueue(id, store, new Set(store.items(id).map((item) => item.id))))
      if (shown?.id === id) lookAtShown()
      else {
        const queue = unsent(id, store.items(id))
        emit('conversation.status', { conversationId: id, running: true, elsewhere: true, queue })
      }
    },
    forget(id) {
      if (shown?.id === id) shown = undefined
    },
    watchQueue(id, queue) {
      seen.set(id, JSON.stringify(queue))
      start()
    },
    close,
  }
}

/** Sends the items from the first one that differs from the window's. */
export function emitDifference(
  emit: AgentDeps['emit'],
  conversationId: string,
  known: readonly ConversationItem[],
  items: readonly ConversationItem[],
): void {
  const equal = items.findIndex((item, index) => JSON.stringify(item) !== JSON.stringify(known[index]))
  const first = equal < 0 ? items.length : equal
  const removed = known[first]
  if (removed) emit('conversation.truncated', { conversationId, fromItemId: removed.id })
  for (const item of items.slice(first)) emit('conversation.item', { conversationId, item, isNew: true })
}

const waitsText = ' Messages that you send here wait until it has finished, and new items appear then.'

export function otherRunnerText({ pid }: Runner): string {
  return `Another Tizona process (${pid}) is working on this conversation.`
}
