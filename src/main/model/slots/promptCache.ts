import { createHash } from 'node:crypto'
import { ModelError, type ChatMessage, type ChatRequest, type ModelClient, type ModelEvent } from '../modelClient.ts'
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
 * Knows whether a server keeps the prompts of conversations in its cache, and saves the prompt of one that does not.
 *
 * llama-server chooses the slot of a request itself. A request that names its slot is worse off: the current
 * llama-server empties idle slots into a cache in memory, and does not look there for a request with a slot
 * (ggml-org/llama.cpp#28139).
 */
export interface PromptCache {
  /** Whether the server is llama-server or a model file, which keep the last prompt of each slot. */
  isKnown(): boolean
  /** Whether a prompt was still in the cache after the server had read another one. */
  keepsPrompts(): boolean
  /**
   * Prepares for side requests of a conversation.
   * @returns how its prompt of `tokens` tokens is kept, and a function to call after the requests. Neither fails.
   *   `restore` may take a minute, and continues if nobody waits for it
   */
  keep(
    conversation: string,
    signal: AbortSignal,
  ): Promise<{ kept: KeptPrompt; tokens: number; restore(): Promise<void> }>
  /** Wraps a client to learn from the reported cached tokens what the server keeps. */
  watch(client: ModelClient): ModelClient
  /** Whether a conversation has sent a prompt that the server may have cached. */
  hasPrompt(): boolean
  /** Forgets the server's behavior, because it may have been restarted with different options. */
  forget(): void
}

export interface PromptCacheDeps extends SavedSlotDeps {
  /** Number of slots, if the server is llama-server. */
  slots(): number | undefined
  /** Whether the server itself keeps the prompts of conversations, as a model file does. Default: detected. */
  keepsPrompts?: boolean
}

/** Minimum share of an extended prompt that must come from the cache. */
const minHit = 0.5
/** Maximum number of conversations whose last prompt is remembered. */
const maxConversations = 64

export function createPromptCache(deps: PromptCacheDeps): PromptCache {
  const { slots } = deps
  /** The last prompt of each conversation, as a hash of each message, and its size in tokens; the latest last. */
  const last = new Map<string, { messages: readonly string[]; tokens: number }>()
  /** Conversations whose prompt may have been replaced by another one. */
  const replaced = new Set<string>()
  const savedSlot = createSavedSlot(deps)
  let keepsPrompts = deps.keepsPrompts === true
  /** Whether side requests follow although the only slot was not saved. */
  let unsaved = false
  let hasPrompt = false
  /** The conversation that sent the last prompt, and the number of requests that run. */
  let holder: string | undefined
  let running = 0
  /** The conversation whose prompt was saved. */
  let saved: string | undefined

  function begin({ isAside = false, conversation = '' }: ChatRequest): void {
    savedSlot.begin(isAside)
    hasPrompt ||= !isAside
    for (const other of last.keys()) if (isAside ? unsaved : other !== conversation) replaced.add(other)
    if (isAside) return
    unsaved = false
    holder = conversation
  }

  /** Compares the prompt that a request extends to the part that the server took from its cache. */
  function check(request: ChatRequest, cached: number, tokens: number): void {
    const { conversation = '' } = request
    const messages = request.messages.map(hashOf)
    const before = last.get(conversation)
    const wasReplaced = replaced.delete(conversation)
    const wasRestored = savedSlot.takeRestored() && saved === conversation
    last.delete(conversation)
    last.set(conversation, { messages, tokens })
    const [oldest] = last.keys()
    if (last.size > maxConversations && oldest !== undefined) {
      last.delete(oldest)
      replaced.delete(oldest)
    }
    if (!before?.messages.every((message, at) => message === messages[at])) return
    const isMiss = cached < before.tokens * minHit
    if (wasReplaced && deps.keepsPrompts === undefined) keepsPrompts = !isMiss
    if (wasRestored && isMiss) savedSlot.distrust()
  }

  function forget(): void {
    keepsPrompts = deps.keepsPrompts === true
    savedSlot.forget()
    last.clear()
    replaced.clear()
    unsaved = hasPrompt = false
    holder = saved = undefined
  }

  return {
    isKnown: () => slots() !== undefined,
    keepsPrompts: () => keepsPrompts,
    async keep(conversation, signal) {
      const nothing = { tokens: last.get(conversation)?.tokens ?? 0, restore: () => Promise.resolve() }
      const count = slots()
      if (count !== 1) return { kept: count === undefined ? 'unknown' : 'otherSlot', ...nothing }
      if (deps.keepsPrompts) return { kept: 'byServer', ...nothing }
      // While another conversation has the slot, its prompt would be saved instead.
      const restore = holder === conversation && running === 0 ? await savedSlot.save(signal) : undefined
      saved = conversation
      if (restore) return { ...nothing, kept: 'saved', restore }
      unsaved = true
      return { kept: keepsPrompts ? 'byServer' : 'lost', ...nothing }
    },
    watch: (client) => ({
      ...client,
      async *stream(request): AsyncGenerator<ModelEvent, void, void> {
        begin(request)
        running += 1
        try {
          for await (const event of client.stream(request)) {
            if (event.kind === 'usage' && event.usage.cachedTokens !== undefined && !request.isAside)
              check(request, event.usage.cachedTokens, event.usage.promptTokens)
            yield event
          }
        } catch (error) {
          if (error instanceof ModelError && error.code === 'unreachable') forget()
          throw error
        } finally {
          running -= 1
        }
      },
    }),
    hasPrompt: () => hasPrompt,
    forget,
  }
}

/** Returns a hash of a message, in which the id of an image stands for its data. */
function hashOf(message: ChatMessage): string {
  const text = JSON.stringify(message, (key, value: unknown) => (key === 'data' ? undefined : value))
  return createHash('sha1').update(text).digest('base64')
}
