import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../clients/modelClient.ts'
import { createSavedSlot, type SavedSlotDeps } from './savedSlot.ts'

/** How the prompt of a conversation survives a request beside it. */
export type KeptPrompt =
  /** The request has a slot of its own. */
  | 'otherSlot'
  /** The state of the only slot is in a file. */
  | 'saved'
  /** The server keeps prompts by itself. */
  | 'byServer'
  /** The server has one slot, and may read the prompt again. */
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
  /** Whether a conversation has sent a prompt, which the server may keep. */
  hasPrompt(): boolean
  /** Forgets what the server did, because it may have been started again with other options. */
  forget(): void
}

export interface PromptSlotsDeps extends SavedSlotDeps {
  /** Number of slots, if the server is llama-server. */
  slots(): number | undefined
  /** Whether the server keeps the prompts of conversations by itself, as a model file does. Default: it is found out. */
  keepsPrompts?: boolean
}

/** Owner of the slot for requests beside conversations. */
const asideKey = 'aside'
/** Minimum share of an extended prompt that must come from the cache. */
const minHit = 0.5
/** Number of misses after which slots are no longer chosen. One may have another cause, such as another client. */
const maxMisses = 2

/** What a server has shown about its slots since it was started. */
interface ServerBehavior {
  /** Whether a request may choose its slot. */
  chooses: boolean
  /** Misses in a row although the slot was chosen. */
  misses: number
  /** Whether a prompt was in the cache although another one had taken its only slot. */
  keepsPrompts: boolean
}

const unknownBehavior: ServerBehavior = { chooses: true, misses: 0, keepsPrompts: false }

export function createPromptSlots(deps: PromptSlotsDeps): PromptSlots {
  const { slots } = deps
  /** The last prompt of each slot, and its size in tokens. */
  const last = new Map<number, { messages: ChatRequest['messages']; tokens: number }>()
  let server = { ...unknownBehavior }
  const count = (): number => (server.chooses ? (slots() ?? 0) : 0)
  const hasOthers = () => count() > 1
  // The next prompt of a slot that was taken is another's, so its cache says nothing about this one.
  const owners = createSlotOwners(count, (slot) => last.delete(slot))
  const savedSlot = createSavedSlot(deps)
  /** Whether the only slot was not saved before requests beside the conversation. */
  let unsaved = false
  /** Whether one of those was sent, so that the next prompt of a conversation shows whether the server keeps prompts. */
  let lost = false
  let hasPrompt = false

  function begin(isAside: boolean): void {
    savedSlot.begin(isAside)
    hasPrompt ||= !isAside
    if (isAside) lost ||= unsaved
    else unsaved = false
  }

  /** Compares what a prompt shares with the last one of its slot with what the server took from its cache. */
  function check(request: ChatRequest, cached: number, tokens: number): void {
    const slot = request.slot ?? 0
    const before = last.get(slot)
    const wasLost = lost
    const wasRestored = savedSlot.takeRestored()
    lost = false
    last.set(slot, { messages: request.messages, tokens })
    const isExtended = before?.messages.every(
      (message, at) =>
        message === request.messages[at] || JSON.stringify(message) === JSON.stringify(request.messages[at]),
    )
    if (!before || !isExtended) return
    const isMiss = cached < before.tokens * minHit
    if (wasLost) server.keepsPrompts = !isMiss
    if (wasRestored && isMiss) savedSlot.distrust()
    else if (request.slot !== undefined) server.misses = isMiss ? server.misses + 1 : 0
    if (server.misses >= maxMisses) server.chooses = false
  }

  function forget(): void {
    server = { ...unknownBehavior }
    savedSlot.forget()
    last.clear()
    unsaved = lost = hasPrompt = false
  }

  return {
    areKnown: () => slots() !== undefined,
    conversation: (id) => (hasOthers() ? owners.slotOf(`conversation ${id}`) : undefined),
    aside: () => (hasOthers() ? owners.slotOf(asideKey) : undefined),
    async keep(signal) {
      const nothing = { tokens: last.get(0)?.tokens ?? 0, restore: () => Promise.resolve() }
      if (hasOthers()) return { kept: 'otherSlot', ...nothing }
      if (slots() !== 1) return { kept: 'unknown', ...nothing }
      if (deps.keepsPrompts) return { kept: 'byServer', ...nothing }
      const restore = await savedSlot.save(signal)
      if (restore) return { ...nothing, kept: 'saved', restore }
      unsaved = true
      return { kept: server.keepsPrompts ? 'byServer' : 'lost', ...nothing }
    },
    watch: (client) => ({
      ...client,
      async *stream(request): AsyncGenerator<ModelEvent, void, void> {
        begin(request.isAside === true)
        try {
          for await (const event of client.stream(request)) {
            if (event.kind === 'usage' && event.usage.cachedTokens !== undefined && !request.isAside)
              check(request, event.usage.cachedTokens, event.usage.promptTokens)
            yield event
          }
        } catch (error) {
          if (error instanceof ModelError && error.code === 'unreachable') forget()
          throw error
        }
      },
    }),
    hasPrompt: () => hasPrompt,
    forget,
  }
}

/** Gives the slots of a server to the conversations that use them. */
interface SlotOwners {
  /** Returns the slot of an owner. A new owner gets a free one, else that of the least recently used owner. */
  slotOf(owner: string): number
}

/**
 * @param count returns the number of slots, at least one
 * @param onTaken called when an owner loses its slot to another one
 */
function createSlotOwners(count: () => number, onTaken: (slot: number) => void): SlotOwners {
  /** Slots by owner, the least recently used first. */
  const owners = new Map<string, number>()

  function freeSlot(): number {
    const used = new Set(owners.values())
    let free = 0
    while (used.has(free)) free += 1
    if (free < count()) return free
    const [oldest] = owners
    if (!oldest) return 0
    owners.delete(oldest[0])
    onTaken(oldest[1])
    return oldest[1]
  }

  return {
    slotOf(owner) {
      const known = owners.get(owner)
      owners.delete(owner)
      const slot = known !== undefined && known < count() ? known : freeSlot()
      owners.set(owner, slot)
      return slot
    },
  }
}
