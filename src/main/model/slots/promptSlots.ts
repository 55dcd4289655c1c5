import { isAbort } from '../../../shared/errors.ts'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../clients/modelClient.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'

/** How the prompt of a conversation survives a request beside it. */
export type KeptPrompt =
  /** The request has a slot of its own. */
  | 'otherSlot'
  /** The state of the only slot was saved to a file. */
  | 'saved'
  /** The server has one slot, and reads the prompt again unless it keeps prompts by itself. */
  | 'lost'
  | 'unknown'

/** Decides in which of llama-server's slots requests run, so that those beside a conversation leave its prompt alone. */
export interface PromptSlots {
  /** Whether the server is llama-server or a model file, which keep the last prompt of each slot. */
  areKnown(): boolean
  /** Returns the slot of a conversation. Undefined: the server chooses. */
  conversation(id: string): number | undefined
  /** Returns the slot of requests beside conversations. */
  aside(): number | undefined
  /**
   * Prepares for requests beside a conversation.
   * @returns how its prompt of so many tokens is kept, and a function to call after the requests. Neither fails.
   *   `restore` may take a minute, and goes on if nobody waits for it
   */
  keep(signal: AbortSignal): Promise<{ kept: KeptPrompt; tokens: number; restore(): Promise<void> }>
  /** Wraps a client to check by the reported cache whether the slots do what they promise. */
  watch(client: ModelClient): ModelClient
}

export interface PromptSlotsDeps {
  /** The base URL from `serverRoot`. */
  root: string
  target: RequestTarget
  connection(): Promise<ConnectionOptions>
  /** Number of slots, if the server is llama-server. */
  slots(): number | undefined
  /** Whether a slot may be saved to a file. Default: it is tried. */
  canSave?: boolean
  /** Ends a restore that nobody waits for. */
  closed: AbortSignal
}

/** One file, so that no disk fills up. A file of another process restores nothing useful, which `watch` notices. */
const fileName = 'tizona-prompt.bin'
/** Owner of the slot for requests beside conversations. */
const asideKey = 'aside'
/** Time limits in milliseconds. A state can have gigabytes. */
const timeouts = { connectMs: 2000, headersMs: 60_000, chunkMs: 60_000 }
/** Minimum share of an extended prompt that must come from the cache. */
const minHit = 0.5
/** Number of misses after which slots are no longer chosen. One may have another cause, such as another client. */
const maxMisses = 2

export function createPromptSlots({
  root,
  target,
  connection,
  slots,
  canSave = true,
  closed,
}: PromptSlotsDeps): PromptSlots {
  /** Conversations and `asideKey`, the least recently used first, with their slots. */
  const owners = new Map<string, number>()
  /** The last prompt of each slot, and its size in tokens. */
  const last = new Map<number, { messages: ChatRequest['messages']; tokens: number }>()
  let chooses = true
  let misses = 0
  let saves = canSave
  /** Whether the next prompt of a conversation shows whether a restored state is used. */
  let restored = false

  const count = (): number => (chooses ? (slots() ?? 0) : 0)
  const hasOthers = () => count() > 1

  async function act(action: 'save' | 'restore', signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await sendRequest({
        method: 'POST',
        url: `${root}/slots/0?action=${action}`,
        connection: await connection(),
        body: { filename: fileName },
        signal,
        timeouts,
        target,
      })
      await readText(answer, target)
      return answer.status === 200
    } catch (error) {
      if (error instanceof ModelError || isAbort(error)) return false
      throw error
    }
  }

  /** Compares what a prompt shares with the last one of its slot with what the server took from its cache. */
  function check(request: ChatRequest, cached: number, tokens: number): void {
    const slot = request.slot ?? 0
    const before = last.get(slot)
    last.set(slot, { messages: request.messages, tokens })
    const isExtended = before?.messages.every(
      (message, at) =>
        message === request.messages[at] || JSON.stringify(message) === JSON.stringify(request.messages[at]),
    )
    if (!before || !isExtended) return
    const isMiss = cached < before.tokens * minHit
    if (restored && isMiss) saves = false
    else if (request.slot !== undefined) misses = isMiss ? misses + 1 : 0
    restored = false
    if (misses >= maxMisses) chooses = false
  }

  /** Returns the slot of an owner. A new owner gets a free one, else that of the least recently used owner. */
  function slotOf(owner: string): number | undefined {
    if (!hasOthers()) return undefined
    const known = owners.get(owner)
    owners.delete(owner)
    const slot = known !== undefined && known < count() ? known : freeSlot()
    owners.set(owner, slot)
    return slot
  }

  function freeSlot(): number {
    const used = new Set(owners.values())
    let free = 0
    while (used.has(free)) free += 1
    if (free < count()) return free
    const [oldest] = owners
    if (!oldest) return 0
    owners.delete(oldest[0])
    // The next prompt of the slot is another's, so its cache says nothing about this one.
    last.delete(oldest[1])
    return oldest[1]
  }

  return {
    areKnown: () => slots() !== undefined,
    conversation: (id) => slotOf(`conversation ${id}`),
    aside: () => slotOf(asideKey),
    async keep(signal) {
      const nothing = { tokens: last.get(0)?.tokens ?? 0, restore: () => Promise.resolve() }
      if (hasOthers()) return { kept: 'otherSlot', ...nothing }
      if (slots() !== 1) return { kept: 'unknown', ...nothing }
      const isSaved = saves && (await act('save', signal))
      // A cancelled request does not show whether the server saves slots.
      if (!signal.aborted) saves = isSaved
      if (!isSaved) return { kept: 'lost', ...nothing }
      return {
        ...nothing,
        kept: 'saved',
        async restore() {
          // Runs even after a cancelled request, because the conversation goes on.
          saves = await act('restore', closed)
          restored = saves
        },
      }
    },
    watch: (client) => ({
      ...client,
      async *stream(request): AsyncGenerator<ModelEvent, void, void> {
        for await (const event of client.stream(request)) {
          if (event.kind === 'usage' && event.usage.cachedTokens !== undefined && !request.isAside)
            check(request, event.usage.cachedTokens, event.usage.promptTokens)
          yield event
        }
      },
    }),
  }
}
