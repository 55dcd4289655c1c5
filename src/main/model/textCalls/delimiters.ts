import type { Dialect } from './dialect.ts'
import { dialects } from './dialects.ts'
import { specialOpeningTags } from './thinkTags.ts'

/**
 * Tokens that chat templates write around turns and calls. They are never part of an answer, but servers with wrong
 * stop words, or that do not hide special tokens, return them. Sources: the chat templates and tokenizers on the model
 * cards.
 */
const endTokens: readonly string[] = [
  // ChatML: Qwen, Yi, InternLM, Kimi, Hermes
  '<|im_end|>',
  '<|im_start|>assistant',
  '<|im_start|>',
  '<|endoftext|>',
  '<|action_end|>',
  // Llama 3 and 4
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<|begin_of_text|>',
  '<|start_header_id|>assistant<|end_header_id|>',
  '<|eot|>',
  '<|eom|>',
  '<|python_end|>',
  // Gemma
  '<end_of_turn>',
  '<start_of_turn>model',
  '<start_of_turn>',
  '<turn|>',
  '<|turn>model',
  '<end_function_call>',
  '<tool_call|>',
  '<|channel>',
  '<channel|>',
  // harmony, Phi
  '<|return|>',
  '<|call|>',
  '<|end|>',
  '<|start|>',
  '<|/tool_call|>',
  '<|/tool_calls|>',
  // DeepSeek, Step
  '<｜end▁of▁sentence｜>',
  '<｜begin▁of▁sentence｜>',
  '<｜Assistant｜>',
  '<｜User｜>',
  '<|end▁of▁sentence|>',
  '<|end_of_sentence|>',
  ...['｜▁', '|▁', '|_', '｜_'].flatMap(([bar = '', gap = '']) =>
    ['begin', 'end'].map((end) => `<${bar}tool${gap}calls${gap}${end}${bar}>`),
  ),
  // GLM, Granite, Command R7B, Kimi, LFM2
  '<|user|>',
  '<|assistant|>',
  '<|observation|>',
  '<|start_of_role|>assistant<|end_of_role|>',
  '<|end_of_role|>',
  '<|END_OF_TURN_TOKEN|>',
  '<|START_OF_TURN_TOKEN|>',
  '<|CHATBOT_TOKEN|>',
  '<|USER_TOKEN|>',
  '<|SYSTEM_TOKEN|>',
  '<|START_TEXT|>',
  '<|END_TEXT|>',
  '<|START_TOOL_RESULT|>',
  '<|END_TOOL_RESULT|>',
  '<|START_RESPONSE|>',
  '<|END_RESPONSE|>',
  '<|END_THINKING|>',
  '<|END_ACTION|>',
  '<|tool_calls_section_begin|>',
  '<|tool_calls_section_end|>',
  '<|tool_call_end|>',
  // Mistral
  '[/TOOL_CALLS]',
  // Apertus, GigaChat, Functionary, LongCat, Seed-OSS, EXAONE
  '<|assistant_end|>',
  '<|tools_suffix|>',
  '<|inner_suffix|>',
  '<|message_sep|>',
  '<|stop|>',
  '<|from|>assistant',
  '<|from|>',
  '<|recipient|>',
  '</longcat_s>',
  '<seed:eos>',
  '[|endofturn|]',
]

/** Tokens that are also HTML tags, so they are dropped only at the end of an answer. */
const trailingTokens: readonly string[] = ['</s>', '<eos>']

/** A string that separates sections of an answer. */
export type Delimiter =
  | { kind: 'call'; text: string; dialect: Dialect }
  /** Opens reasoning after the start of an answer. */
  | { kind: 'opener'; text: string }
  /** Closes reasoning. */
  | { kind: 'closer'; text: string }
  /** Begins a result that the model invents after a call. */
  | { kind: 'invented'; text: string }
  /** A token that is never shown; `last`: only if nothing follows it. */
  | { kind: 'token'; text: string; last: boolean }

export interface DelimiterSet {
  /** Finds the first delimiter in a text, the longest if several start there. */
  next(text: string): { at: number; mark: Delimiter } | undefined
  /** Returns the length of the suffix that could be the start of a delimiter. */
  partial(text: string): number
  /** Whether some delimiter starts with this text and is longer. */
  isBeginning(text: string): boolean
}

const calls: readonly Delimiter[] = dialects.flatMap((dialect) =>
  dialect.openers.map((text): Delimiter => ({ kind: 'call', text, dialect })),
)
const tokens: readonly Delimiter[] = [
  ...endTokens.map((text): Delimiter => ({ kind: 'token', text, last: false })),
  ...trailingTokens.map((text): Delimiter => ({ kind: 'token', text, last: true })),
]
const openers: readonly Delimiter[] = specialOpeningTags.map((text) => ({ kind: 'opener', text }))
const invented: readonly Delimiter[] = [{ kind: 'invented', text: 'Observation:' }]
const sets = new Map<string, DelimiterSet>()

/**
 * Returns the delimiters for a position in an answer.
 * @param withCalls include the openers of calls
 * @param closers tags that close reasoning there
 * @param opensReasoning include tokens that open reasoning
 * @param inventsResults include the mark of results that a model invents
 */
export function delimitersFor(
  withCalls: boolean,
  closers: readonly string[],
  { opensReasoning = false, inventsResults = false } = {},
): DelimiterSet {
  const key = [withCalls, opensReasoning, inventsResults, ...closers].join(' ')
  const known = sets.get(key)
  if (known) return known
  const ends = closers.map((text): Delimiter => ({ kind: 'closer', text }))
  const set = createSet([
    ...ends,
    ...(opensReasoning ? openers : []),
    ...(inventsResults ? invented : []),
    ...(withCalls ? calls : []),
    ...tokens,
  ])
  sets.set(key, set)
  return set
}

/** Matches all delimiters in one pass. Searching for each one would scan a long text a hundred times. */
function createSet(marks: readonly Delimiter[]): DelimiterSet {
  const byText = new Map<string, Delimiter>()
  for (const mark of marks) if (!byText.has(mark.text)) byText.set(mark.text, mark)
  const longestFirst = [...byText.keys()].toSorted((a, b) => b.length - a.length)
  const longest = longestFirst[0]?.length ?? 0
  const beginnings = new Set(
    longestFirst.flatMap((text) => Array.from({ length: text.length - 1 }, (_, length) => text.slice(0, length + 1))),
  )
  const pattern = new RegExp(longestFirst.map((text) => escaped(text)).join('|'), 'g')
  return {
    next(text) {
      pattern.lastIndex = 0
      const found = pattern.exec(text)
      const mark = found && byText.get(found[0])
      return mark ? { at: found.index, mark } : undefined
    },
    partial(text) {
      for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
        if (beginnings.has(text.slice(-length))) return length
      }
      return 0
    },
    isBeginning: (text) => beginnings.has(text),
  }
}

const onlyTokens = new RegExp(
  `^(?:\\s|${[...endTokens, ...trailingTokens]
    .toSorted((a, b) => b.length - a.length)
    .map((text) => escaped(text))
    .join('|')})*`,
)

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Removes whitespace and chat template tokens from the start of a text. */
export function skipTokens(text: string): string {
  return text.slice(onlyTokens.exec(text)?.[0].length ?? 0)
}
