/**
 * Tags around reasoning. Source: the chat templates of Qwen, DeepSeek, GLM, Granite, Seed-OSS, Kimi-VL, Magistral,
 * LongCat, Command R7B, Apertus and Gemma 4, and fine-tunes.
 */
const tags: Readonly<Record<string, string>> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '<reasoning>': '</reasoning>',
  '<thought>': '</thought>',
  '<seed:think>': '</seed:think>',
  '◁think▷': '◁/think▷',
  '[THINK]': '[/THINK]',
  '<longcat_think>': '</longcat_think>',
  '<|START_THINKING|>': '<|END_THINKING|>',
  '<|inner_prefix|>': '<|inner_suffix|>',
  '<|channel>thought\n': '<channel|>',
}

export const openingTags: readonly string[] = Object.keys(tags)
/** Opening tags that are special tokens, so that reasoning can start with them anywhere in an answer. */
export const specialOpeningTags: readonly string[] = openingTags.filter((tag) => tag.startsWith('<|'))
export const closingTags: readonly string[] = Object.values(tags)

/** Closing tags that models use interchangeably. */
const mixedUp = ['</think>', '</thinking>']

/** Returns the tags that close reasoning after an opening tag. */
export function closingTagsFor(opening: string): readonly string[] {
  const closing = tags[opening] ?? ''
  return mixedUp.includes(closing) ? mixedUp : [closing]
}
