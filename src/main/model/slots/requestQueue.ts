import { plural } from '../../../shared/text/plural.ts'
import type { ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { abortError } from '../transport/http.ts'
import { createCapacityMeasurement } from './capacityMeasurement.ts'

/**
 * Lets only as many requests run on a server as it answers at the same time, and chooses which one runs next. All
 * conversations with a server share it, whichever window of this process they are in.
 */
export interface RequestQueue {
  /** Wraps a client so that its requests wait until the server has room. They report what they wait for. */
  schedule(client: ModelClient, server: QueuedServer): ModelClient
  /** Forgets how many requests the server answers, because it may have been restarted. */
  forget(): void
  /** Whether no request runs or waits. */
  isIdle(): boolean
}

/** A server as one window knows it. */
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
/** How long such a conversation runs on while others wait, in milliseconds. Reading its prompt again may take 30 s. */
const maxRunMs = 90_000
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
  /** The last capacity that a window knew. Another window may not know it yet. */
  let known: number | undefined
  const limit = (): number => {
    known = server.capacity() ?? known
    return Math.max(1, known ?? measured.capacity())
  }
  /** In the order in which they arrived. */
  const waiting: Entry[] = []
  let running = 0
  const served = createServedConversations()
  /** The conversation for which a place is kept free while its calls run. */
  let kept: { conversation: string; timer: NodeJS.Timeout } | undefined
  const ordered = (): Entry[] => inOrder(waiting, server.keepsPrompts() ? undefined : served.runningOn(), served)

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
  function leave({ request: { conversation }, isRunning }: Entry, continues: boolean, keepsPrompts: boolean): void {
    if (isRunning) running -= 1
    const runsOn = continues && conversation !== undefined && conversation === served.runningOn()
    if (runsOn && waiting.length > 0 && limit() === 1 && !keepsPrompts) keepPlace(conversation)
    startNext()
  }

  /** While a server is away, a request gives its place back. It takes it again without waiting. */
  function setAway(entry: Entry, isAway: boolean): void {
    if (entry.isRunning === !isAway) return
    entry.isRunning = !isAway
    running += isAway ? -1 : 1
    if (isAway) startNext()
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
        let continues = isPartOfTurn(request)
        request.signal.addEventListener('abort', onChange)
        try {
          if (request.signal.aborted) throw abortError()
          waiting.push(entry)
          startNext()
          for (let noted = -1; !entry.isRunning;) {
            const before = ordered().indexOf(entry)
            if (before !== noted) yield { kind: 'status', note: waitingNote(limit(), before) }
            noted = before
            // A change while the note was read has already resolved it.
            await changed.promise
            changed = Promise.withResolvers<void>()
            if (!entry.isRunning && request.signal.aborted) throw abortError()
          }
          observation = measured.begin()
          for await (const event of client.stream(request)) {
            setAway(entry, event.kind === 'status' && event.isAway === true)
            if (event.kind !== 'status') observation.answers()
            if (event.kind === 'call') continues = true
            yield event
          }
        } finally {
          request.signal.removeEventListener('abort', onChange)
          observation?.end()
          const at = waiting.indexOf(entry)
          if (at !== -1) waiting.splice(at, 1)
          leave(entry, continues && !request.signal.aborted, ofClient.keepsPrompts())
        }
      },
    }),
    forget() {
      known = undefined
      measured.forget()
      startNext()
    },
    isIdle: () => running === 0 && waiting.length === 0,
  }
}

/** Whether it is a request beside a conversation after which the conversation goes on, such as a sub-agent's. */
function isPartOfTurn({ isAside, conversation, urgency }: ChatRequest): boolean {
  return isAside === true && conversation !== undefined && urgency !== 'background'
}

/**
 * Returns the waiting requests in the order in which they are to run.
 * @param preferred the conversation that runs on
 */
function inOrder(waiting: readonly Entry[], preferred: string | undefined, served: ServedConversations): Entry[] {
  const rank = ({ request: { conversation, urgency } }: Entry): number => {
    if (urgency === 'person') return 0
    if (urgency === 'background') return 3
    return preferred !== undefined && conversation === preferred ? 1 : 2
  }
  const lastServed = ({ request }: Entry): number => served.time(request.conversation)
  return waiting.toSorted((a, b) => rank(a) - rank(b) || lastServed(a) - lastServed(b) || a.since - b.since)
}

interface ServedConversations {
  /** The conversation that ran last, unless it has run on for too long. */
  runningOn(): string | undefined
  /** Returns when a conversation last began a request; 0 if it never did. */
  time(conversation: string | undefined): number
  add(conversation: string): void
}

function createServedConversations(): ServedConversations {
  /** Times by conversation, the earliest first. */
  const times = new Map<string, number>()
  let last: string | undefined
  let lastSince = 0
  return {
    runningOn: () => (Date.now() - lastSince < maxRunMs ? last : undefined),
    time: (conversation = '') => times.get(conversation) ?? 0,
    add(conversation) {
      const now = Date.now()
      if (conversation !== last) lastSince = now
      last = conversation
      times.delete(conversation)
      times.set(conversation, now)
      const [oldest] = times.keys()
      if (times.size > maxConversations && oldest !== undefined) times.delete(oldest)
    },
  }
}

/** @param before number of requests that run before it */
function waitingNote(capacity: number, before: number): string {
  const order = before === 0 ? 'this one is next' : `${before} ${before === 1 ? 'is' : 'are'} before this one`
  return `The model server answers ${plural(capacity, 'request')} at a time, and ${order}…`
}

const queues = new Map<string, RequestQueue>()
/** Number of servers above which queues without requests are removed. */
const maxQueues = 64

/** Returns the queue of a server, which all windows of this process share. @param key identifies the server */
export function requestQueueOf(key: string): RequestQueue {
  const known = queues.get(key)
  if (known) return known
  if (queues.size >= maxQueues) for (const [other, queue] of queues) if (queue.isIdle()) queues.delete(other)
  const queue = createRequestQueue()
  queues.set(key, queue)
  return queue
}
