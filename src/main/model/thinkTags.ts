/** A piece of an answer, told apart into what is for the user and what the model thought. */
export interface ThoughtPiece {
  kind: 'text' | 'reasoning'
  text: string
}

/** Source: the chat templates of Qwen, DeepSeek, GLM, Granite, Seed-OSS, Kimi-VL and Magistral, and fine-tunes that were told to. */
const tags: Readonly<Record<string, string>> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '<reasoning>': '</reasoning>',
  '<thought>': '</thought>',
  '<seed:think>': '</seed:think>',
  '◁think▷': '◁/think▷',
  '[THINK]': '[/THINK]',
}
const opening = Object.keys(tags)
const closing = Object.values(tags)
/** Models mix these two up. */
const thinkEnds = ['</think>', '</thinking>']

/**
 * Splits `<think>…</think>` off a streamed answer. A block is one only at the very beginning of the answer or directly after
 * another block: further on, the model may be writing about the tag. A closing tag without an opening one (templates that
 * open the block in the prompt) ends a thought that was already shown as text, so just the tag goes. What is not closed
 * at the end was a thought.
 */
export function createThinkSplitter(): { push(text: string): ThoughtPiece[]; end(): ThoughtPiece[] } {
  let state: 'start' | 'thinking' | 'answer' = 'start'
  let held = ''
  /** What closes the thought that is open. */
  let ends: string[] = []
  /** Only one closing tag can be an orphan; later ones are prose. */
  let orphanPossible = true

  const run = (final: boolean): ThoughtPiece[] => {
    const pieces: ThoughtPiece[] = []
    const emit = (kind: ThoughtPiece['kind'], text: string) => {
      if (text) pieces.push({ kind, text })
    }
    for (;;) {
      if (state === 'start') {
        const trimmed = held.trimStart()
        const tag = opening.find((candidate) => trimmed.startsWith(candidate))
        if (tag) {
          held = trimmed.slice(tag.length)
          state = 'thinking'
          ends = thinkEnds.includes(tags[tag] ?? '') ? thinkEnds : [tags[tag] ?? '']
          orphanPossible = false
          continue
        }
        if (opening.some((candidate) => candidate.startsWith(trimmed))) {
          if (!final) return pieces
          // Nothing but the white space after a thought: not an answer.
          if (!trimmed) held = ''
        }
        state = 'answer'
      }
      const wanted = state === 'thinking' ? ends : orphanPossible ? closing : []
      const kind = state === 'thinking' ? 'reasoning' : 'text'
      const found = firstTag(held, wanted)
      if (!found) {
        const keep = final ? 0 : partialTag(held, wanted)
        emit(kind, held.slice(0, held.length - keep))
        held = held.slice(held.length - keep)
        return pieces
      }
      emit(kind, held.slice(0, found.at))
      held = held.slice(found.at + found.tag.length)
      orphanPossible = false
      // Templates put blank lines between the thought and the answer.
      state = 'start'
    }
  }
  return {
    push(text) {
      held += text
      return run(false)
    },
    end: () => run(true),
  }
}

function firstTag(text: string, tags: string[]): { at: number; tag: string } | undefined {
  return tags
    .map((tag) => ({ at: text.indexOf(tag), tag }))
    .filter((found) => found.at !== -1)
    .sort((a, b) => a.at - b.at)[0]
}

/** Length of the end of `text` that could be the beginning of a tag. */
function partialTag(text: string, tags: string[]): number {
  const longest = Math.max(0, ...tags.map((tag) => tag.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (tags.some((tag) => tag.startsWith(end))) return length
  }
  return 0
}
