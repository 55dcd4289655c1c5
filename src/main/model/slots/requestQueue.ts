import { plural } from '../../../shared/text/plural.ts'
import type { ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { createCapacityMeasurement } from './capacityMeasurement.ts'

/**
 * Lets only as many requests run on a server as it answers at the same time, and chooses which one runs next. All
 * conversations with a server share it, whichever window of this process they are in.
 */
export interface RequestQueue {
  /** Wraps a client so that its requests wait until the server has room. They report what they wait for. */
  schedule(client: ModelClient, server: QueuedServer): ModelClient
  /** Forgets how many requests the server seems to answer, because it may have been restarted. */
  forget(): void
}

export interface QueuedServer {
  /** Returns the number of requests that it answers at the same time; undefined: unknown, so it is measured. */
  capacity(): number | undefined
  /** Whether it still has the prompt of a conversation after it has read another one. */
  keepsPrompts(): boolean
}

/**
 * How long a conversation whose prompt would be lost keeps its place while its calls run, in milliseconds. Most calls
 * take less.
 */
const callMs = 1500
/** A request that has waited this long no longer waits for the sake of another one's cached prompt. In milliseconds. */
const maxYieldMs = 30_000
/** A request in the background that has waited this long is treated like any other. In milliseconds. */
const maxBackgroundMs = 60_000
/** Maximum number of conversations whose last request is remembered. */
const maxConversations = 200

interface Entry {
  request: ChatRequest
  since: number
  isRunning: boolean
  /** Called when it may run, and when the number of requests before it may have changed. */
  onChange(): void
}

export function createRequestQueue(): RequestQueue {
  const measured = createCapacityMeasurement()
  let server: QueuedServer = { capacity: () => undefined, keepsPrompts: () => true }
  const limit = (): number => Math.max(1, server.capacity() ?? measured.capacity())
  /** In the order in which they arrived. */
  const waiting: Entry[] = []
  let running = 0
  const served = createServedConversations()
  /** The conversation for which a place is kept free while its calls run. */
  let kept: { conversation: string; timer: NodeJS.Timeout } | undefined

  const ordered = (): Entry[] => inOrder(waiting, served, server.keepsPrompts())

  function startNext(): void {
    for (const entry of ordered()) {
      if (running >= limit()) break
      const { conversation, urgency } = entry.request
      if (kept && conversation === kept.conversation) giveUpPlace()
      // A person does not wait for a place that is only kept.
      if (kept && urgency !== 'person' && running + 1 >= limit()) continue
      waiting.splice(waiting.indexOf(entry), 1)
      entry.isRunning = true
      running += 1
      if (conversation !== undefined) served.add(conversation)
      entry.onChange()
    }
    for (const entry of waiting) entry.onChange()
  }

  function keepPlace(conversation: string): void {
    giveUpPlace()
    const timer = setTimeout(() => {
      kept = undefined
      startNext()
    }, callMs)
    kept = { conversation, timer }
  }

  function giveUpPlace(): void {
    clearTimeout(kept?.timer)
    kept = undefined
  }

  /** @param continues whether its conversation soon sends a request that extends this one */
  function leave({ request, isRunning }: Entry, continues: boolean): void {
    if (isRunning) running -= 1
    const { conversation } = request
    const isAwaited = waiting.length > 0 && !waiting.some(isLate)
    if (conversation !== undefined && continues && isAwaited && limit() === 1 && !server.keepsPrompts())
      keepPlace(conversation)
    startNext()
  }

  return {
    schedule: (client, ofClient) => ({
      ...client,
      async *stream(request): AsyncGenerator<ModelEvent, void, void> {
        server = ofClient
        let changed = Promise.withResolvers<void>()
        const onChange = (): void => changed.resolve()
        const entry: Entry = { request, since: Date.now(), isRunning: false, onChange }
        let observation: ReturnType<typeof measured.begin> | undefined
        let continues = false
        request.signal.addEventListener('abort', onChange)
        try {
          request.signal.throwIfAborted()
          waiting.push(entry)
          startNext()
          for (let noted = -1; !entry.isRunning;) {
            const before = ordered().indexOf(entry)
            if (before !== noted) yield { kind: 'status', note: waitingNote(limit(), before) }
            noted = before
            // A change while the note was read has already resolved it.
            await changed.promise
            changed = Promise.withResolvers<void>()
            if (!entry.isRunning) request.signal.throwIfAborted()
          }
          observation = measured.begin()
          for await (const event of client.stream(request)) {
            if (event.kind !== 'status') observation.answers()
            if (event.kind === 'call') continues = true
            yield event
          }
        } finally {
          request.signal.removeEventListener('abort', onChange)
          observation?.end()
          const at = waiting.indexOf(entry)
          if (at !== -1) waiting.splice(at, 1)
          leave(entry, continues && !request.signal.aborted)
        }
      },
    }),
    forget: measured.forget,
  }
}

/** Returns the waiting requests in the order in which they are to run. */
function inOrder(waiting: readonly Entry[], served: ServedConversations, keepsPrompts: boolean): Entry[] {
  const prefersLast = !keepsPrompts && !waiting.some((entry) => !isBackground(entry) && isLate(entry))
  const rank = (entry: Entry): number => {
    const { conversation, urgency } = entry.request
    if (urgency === 'person') return 0
    if (isBackground(entry)) return 3
    return prefersLast && conversation !== undefined && conversation === served.last() ? 1 : 2
  }
  const lastServed = ({ request }: Entry): number => served.time(request.conversation)
  return waiting.toSorted((a, b) => rank(a) - rank(b) || lastServed(a) - lastServed(b) || a.since - b.since)
}

interface ServedConversations {
  /** The conversation that ran last. */
  last(): string | undefined
  /** Returns when a conversation last began a request; 0 if it never did. */
  time(conversation: string | undefined): number
  add(conversation: string): void
}

function createServedConversations(): ServedConversations {
  /** Times by conversation, the earliest first. */
  const times = new Map<string, number>()
  return {
    last: () => [...times.keys()].at(-1),
    time: (conversation = '') => times.get(conversation) ?? 0,
    add(conversation) {
      times.delete(conversation)
      times.set(conversation, Date.now())
      const [oldest] = times.keys()
      if (times.size > maxConversations && oldest !== undefined) times.delete(oldest)
    },
  }
}

function isLate({ since }: Entry): boolean {
  return Date.now() - since > maxYieldMs
}

function isBackground({ request, since }: Entry): boolean {
  return request.urgency === 'background' && Date.now() - since < maxBackgroundMs
}

/** @param before number of requests that run before it */
function waitingNote(capacity: number, before: number): string {
  const order = before === 0 ? 'this one is next' : `${before} ${before === 1 ? 'is' : 'are'} before this one`
  return `The model server answers ${plural(capacity, 'request')} at a time, and ${order}…`
}

const queues = new Map<string, RequestQueue>()
/** Maximum number of servers with a queue. */
const maxQueues = 64

/** Returns the queue of a server, which all windows of this process share. @param key identifies the server */
export function requestQueueOf(key: string): RequestQueue {
  const queue = queues.get(key) ?? createRequestQueue()
  if (!queues.has(key) && queues.size >= maxQueues) queues.clear()
  queues.set(key, queue)
  return queue
}
