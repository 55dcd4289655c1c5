import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../modelClient.ts'
import { createSavedSlot, type SavedSlotDeps } from './savedSlot.ts'

/** How the prompt of a conversation survives a side request. */
export type KeptPrompt =
  /** Side requests use a different slot. */
  | 'otherSlot'
  /** The state of the only slot is in a file. */
  | 'saved'
  /** The server keeps prompts by itself. */
  | 'byServer'
  /** The server has one slot, and may read the prompt again. */
  | 'lost'
  | 'unknown'

/**
 * Decides in which of llama-server's slots requests run, so that side requests do not replace the prompt of a
 * conversation.
 */
export interface PromptSlots {
  /** Whether the server is llama-server or a model file, which keep the last prompt of each slot. */
  areKnown(): boolean
  /** Returns the slot of a conversation. Undefined: the server chooses. */
  conversation(id: string): number | undefined
  /** Returns the slot for side requests. */
  aside(): number | undefined
  /**
   * Prepares for side requests.
   * @returns how the conversation's prompt of `tokens` tokens is kept, and a function to call after the requests.
   *   Neither fails. `restore` may take a minute, and continues if nobody waits for it
   */
  keep(signal: AbortSignal): Promise<{ kept: KeptPrompt; tokens: number; restore(): Promise<void> }>
  /** Wraps a client to check by the reported cached tokens whether the slots work. */
  watch(client: ModelClient): ModelClient
  /** Whether a conversation has sent a prompt that the server may have cached. */
  hasPrompt(): boolean
  /** Forgets the server's behavior, because it may have been restarted with different options. */
  forget(): void
}

export interface PromptSlotsDeps extends SavedSlotDeps {
  /** Number of slots, if the server is llama-server. */
  slots(): number | undefined
  /** Whether the server itself keeps the prompts of conversations, as a model file does. Default: detected. */
  keepsPrompts?: boolean
}

/** Owner of the slot for side requests. */
const asideKey = 'aside'
/** Minimum share of an extended prompt that must come from the cache. */
const minHit = 0.5
/**
 * Number of misses after which slots are no longer chosen. A single miss may have another cause, such as another
 * client.
 */
const maxMisses = 2

/** Observed behavior of a server's slots since it was started. */
interface ServerBehavior {
  /** Whether a request may choose its slot. */
  chooses: boolean
  /** Consecutive misses although the slot was chosen. */
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
  // After a slot changed its owner, the next prompt is a different one, so its cached tokens say nothing.
  const owners = createSlotOwners(count, (slot) => last.delete(slot))
  const savedSlot = createSavedSlot(deps)
  /** Whether side requests follow although the only slot was not saved. */
  let unsaved = false
  /**
   * Whether such a side request was sent. The next prompt of a conversation then shows whether the server keeps
   * prompts.
   */
  let lost = false
  let hasPrompt = false

  function begin(isAside: boolean): void {
    savedSlot.begin(isAside)
    hasPrompt ||= !isAside
    if (isAside) lost ||= unsaved
    else unsaved = false
  }

  /**
   * Compares the part that a prompt shares with its slot's last prompt to the part that the server took from its cache.
   */
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

/** Assigns the slots of a server to conversations. */
interface SlotOwners {
  /** Returns the slot of an owner. A new owner gets a free slot, otherwise the least recently used one. */
  slotOf(owner: string): number
}

/**
 * @param count returns the number of slots, at least one
 * @param onTaken called when an owner loses its slot
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
