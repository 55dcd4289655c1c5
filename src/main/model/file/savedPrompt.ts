import { statfs } from 'node:fs/promises'
import path from 'node:path'
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp'
import { log } from '../../base/log/log.ts'

/** Keeps the prompt of a conversation in a file while requests beside it use the context. */
export interface SavedPrompt {
  /**
   * Called before a prompt is evaluated.
   * @param isAside whether it is beside the conversations
   * @returns the sequence to evaluate it in
   */
  prepare(prompt: readonly Token[], isAside: boolean): Promise<LlamaContextSequence>
}

interface SavedPromptOptions {
  /** A context of one sequence. */
  context: LlamaContext
  /** An empty file that only this process uses. Undefined: prompts are read again. */
  file: string | undefined
  /** Bytes of the state per token. */
  bytesPerToken: number
}

/** A shorter prompt is read again as fast as it is saved. */
const minTokens = 256
/** A larger state takes longer to write and load than most prompts take to read, in bytes. */
const maxSize = 8 * 1024 ** 3
/** Space to leave on the disk, in bytes. */
const freeSpace = 2 * 1024 ** 3

export function createSavedPrompt({ context, file, bytesPerToken }: SavedPromptOptions): SavedPrompt {
  let sequence = context.getSequence()
  /** The tokens whose state is in the file. */
  let saved: readonly Token[] = []
  /** Whether the context has the prompt of a conversation. */
  let holdsConversation = false
  let isBroken = false

  async function save(tokens: readonly Token[], target: string): Promise<void> {
    const size = tokens.length * bytesPerToken
    if (tokens.length < minTokens || size > maxSize) return
    const { bavail, bsize } = await statfs(path.dirname(target))
    if (bavail * bsize < size + freeSpace) return
    saved = []
    await sequence.saveStateToFile(target)
    saved = tokens
  }

  async function load(source: string): Promise<void> {
    try {
      await sequence.loadStateFromFile(source, { acceptRisk: true })
    } catch (error) {
      // The library has forgotten what the sequence has, so it cannot be cleared.
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
      try {
        if (isAside && holdsConversation && !continues) await save(tokens, file)
        if (!isAside && sharedStart(prompt, saved) > shared) await load(file)
      } catch (error) {
        isBroken = true
        log.warn('The prompt of a conversation could not be kept, so it is read again', error)
      }
      holdsConversation = !isAside || (holdsConversation && continues)
      return sequence
    },
  }
}

/** Returns the number of tokens that two prompts share from the beginning. */
function sharedStart(one: readonly Token[], other: readonly Token[]): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one[at] === other[at]) at += 1
  return at
}
