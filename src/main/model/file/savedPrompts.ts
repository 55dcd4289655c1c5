import { closeSync, openSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp'
import { log } from '../../base/log/log.ts'
import { siblingStateFile } from './stateFile.ts'

/** Saves prompts to files while other prompts use the context. */
export interface SavedPrompts {
  /**
   * Called before a prompt is evaluated.
   * @param isAside whether it belongs to a side request
   * @returns the sequence to evaluate it in
   */
  prepare(prompt: readonly Token[], isAside: boolean): Promise<LlamaContextSequence>
}

interface SavedPromptsOptions {
  /** A context of one sequence. */
  context: LlamaContext
  /** An empty file for this process alone. More files are created beside it. Undefined: prompts are evaluated again. */
  file: string | undefined
  /** Bytes of the state per token. */
  bytesPerToken: number
}

/** A prompt whose state is in a file. */
interface SavedState {
  file: string
  tokens: readonly Token[]
}

/** Evaluating fewer tokens again is as fast as saving them. */
const minTokens = 256
/** Evaluating fewer tokens is as fast as loading a state. */
const minGain = 64
/** In bytes. A larger state takes longer to write and load than most prompts take to evaluate. */
const maxSize = 8 * 1024 ** 3
/** Disk space to leave free, in bytes. */
const freeSpace = 2 * 1024 ** 3
/** The last few states up to this size in bytes are kept. Of larger states, only a conversation's is kept. */
const smallSize = 64 * 1024 ** 2
/** Enough for a guided turn: two questions with two orders of the examples each, and two more prompts. */
const maxSmallStates = 8

export function createSavedPrompts({ context, file, bytesPerToken }: SavedPromptsOptions): SavedPrompts {
  let sequence = context.getSequence()
  /** The least recently used one is first. */
  let states: SavedState[] = []
  let smallFiles = 0
  /** Whether the context has the prompt of a conversation. */
  let holdsConversation = false
  let isBroken = false

  async function save(tokens: readonly Token[], target: string): Promise<void> {
    const size = tokens.length * bytesPerToken
    const { bavail, bsize } = await statfs(path.dirname(target))
    if (bavail * bsize < size + freeSpace) return
    states = states.filter((state) => state.file !== target)
    await sequence.saveStateToFile(target)
    states.push({ file: target, tokens })
  }

  /**
   * Returns the file for a small state: the file of a prompt that it continues, a new one, or the least recently used
   * one.
   */
  function smallFile(tokens: readonly Token[], main: string): string {
    const small = states.filter((state) => state.file !== main)
    const earlier = small.find((state) => sharedStart(tokens, state.tokens) * 2 > state.tokens.length)
    if (earlier) return earlier.file
    const [oldest] = small
    if (oldest && smallFiles >= maxSmallStates) return oldest.file
    smallFiles += 1
    const created = siblingStateFile(main, smallFiles)
    closeSync(openSync(created, 'w', 0o600))
    return created
  }

  async function load({ file: source }: SavedState): Promise<void> {
    try {
      await sequence.loadStateFromFile(source, { acceptRisk: true })
    } catch (error) {
      // The library no longer knows what the sequence contains, so it cannot be cleared.
      await sequence.dispose()
      sequence = context.getSequence()
      throw error
    }
  }

  return {
    async prepare(prompt, isAside) {
      if (file === undefined || isBroken) return sequence
      const tokens = sequence.contextTokens
      const shared = sharedStart(prompt, tokens)
      // A summary continues the prompt of its conversation.
      const continues = shared * 2 >= tokens.length
      const size = tokens.length * bytesPerToken
      const isKnown = states.some((state) => sharedStart(tokens, state.tokens) > tokens.length - minTokens)
      try {
        if (tokens.length - shared >= minTokens && size <= maxSize && !isKnown) {
          if (size <= smallSize) await save(tokens, smallFile(tokens, file))
          else if (isAside && holdsConversation && !continues) await save(tokens, file)
        }
        const [best] = states.toSorted((a, b) => sharedStart(prompt, b.tokens) - sharedStart(prompt, a.tokens))
        if (best && sharedStart(prompt, best.tokens) >= shared + minGain) {
          await load(best)
          states = [...states.filter((state) => state !== best), best]
        }
      } catch (error) {
        isBroken = true
        log.warn('The prompt of a conversation could not be kept, so it is read again', error)
      }
      holdsConversation = !isAside || (holdsConversation && continues)
      return sequence
    },
  }
}

/** Returns the number of tokens in the common prefix of two prompts. */
function sharedStart(one: readonly Token[], other: readonly Token[]): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one[at] === other[at]) at += 1
  return at
}
