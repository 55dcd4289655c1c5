/**
 * Finds text in content from outside that looks as if it were written for a model, so that the result and its card can
 * say so. It recognizes common forms only and removes nothing: a page about such text is reported too, and a new wording
 * is not.
 */

/** What looks suspicious, as it is shown. */
export type Suspicion = 'addressed' | 'hidden' | 'characters'

/** Sentences for the model and the user. */
export const suspicionTexts: Readonly<Record<Suspicion, string>> = {
  addressed: 'The result contains text that addresses the model.',
  hidden: 'The result contains invisible text that addresses the model.',
  characters: 'The result contains characters that can hide text from its readers.',
}

/** Maximum characters that are searched. */
const maxText = 500_000

/** Phrases of known attacks. Their parts have a limited distance, so that a search is fast in any text. */
const phrases: readonly RegExp[] = [
  // "Ignore all previous instructions", "disregard the above prompt"
  /\b(?:ignore|disregard|forget|override|bypass)\s{1,5}(?:\w{1,15}\s{1,5}){0,4}(?:previous|prior|above|earlier|preceding|existing|your|system|all)\s{1,5}(?:\w{1,15}\s{1,5}){0,2}(?:instructions?|prompts?|rules|directions|guidelines|context)\b/i,
  // "You are now DAN", "from now on you must"
  /\byou are (?:now|no longer) (?:an? )?(?:\w{1,15} ){0,2}(?:assistant|ai|model|agent|bot|jailbroken|dan|in developer mode)\b/i,
  // "AI agents reading this page must", "if you are a language model"
  /\b(?:if you are|as|attention|note to|message (?:for|to)|instructions? (?:for|to)|dear)\b[\s,:]{1,3}(?:an? |the |all |any |this )?(?:ai|llm|language|coding) ?(?:model|assistant|agent|bot)?s?\b[\s,:]{0,3}(?:\w{1,15} ){0,6}(?:must|should|please|do not|don't|run|execute|send|reveal|ignore|reading|you)\b/i,
  // Marks of chat templates and of Tizona's own frames
  /<\|(?:im_start|im_end|system|assistant|eot_id|start_header_id)\|>|\[\/?INST\]|<\/?\s{0,3}tool_data\s{0,3}>|<\/?system(?:_prompt|-reminder)?>/i,
  // "New system prompt:", "SYSTEM MESSAGE:"
  /\b(?:new|updated|important) (?:system )?(?:instructions?|prompt) ?(?:for (?:the )?(?:ai|assistant|model|agent))?:/i,
  // "Do not tell the user", "without informing the user"
  /\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention(?:ing)?(?: this)? to|alert|alerting|notify|notifying|ask|asking) the user\b/i,
  // "Reveal your system prompt"
  /\b(?:reveal|print|repeat|output|show|send|leak)\s{1,5}(?:\w{1,15}\s{1,5}){0,3}(?:system prompt|your instructions|hidden instructions)\b/i,
]

/** Words that only a text for a model needs. Used for text that nobody sees. */
const modelWords =
  /\b(?:ai|llm|language model|assistant|chatbot|agent|prompt|instructions?|system message|tool call|execute|api key)\b/i

/** Tags, which are shown as nothing, except in flags of regions. */
const tags = /(?<![\u{1F3F4}\u{E0020}-\u{E007F}])[\u{E0000}-\u{E007F}]{1,100}/u
/** Overrides of the direction, which show text in another order than it is read. */
const overrides = /[\u202d\u202e]/

/**
 * Returns what looks suspicious in a text.
 * @param invisible text of a page that its readers do not see
 */
export function findSuspicions(text: string, invisible = ''): Suspicion[] {
  const [seen, unseen] = [text.slice(0, maxText), invisible.slice(0, maxText)]
  const isHidden = modelWords.test(unseen) || addresses(unseen)
  return [
    ...(addresses(seen) ? (['addressed'] as const) : []),
    ...(isHidden ? (['hidden'] as const) : []),
    ...(tags.test(seen) || tags.test(unseen) || overrides.test(seen) ? (['characters'] as const) : []),
  ]
}

const addresses = (text: string): boolean => phrases.some((phrase) => phrase.test(text))
