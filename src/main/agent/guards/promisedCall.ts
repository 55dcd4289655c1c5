// Small models often announce a step and end the answer without the call. Only a plain announcement at the end of an
// answer counts: offers, questions and conditions are addressed to the user, and a nudge would override them.

const connective = String.raw`(?:(?:okay|ok|sure|great|good|perfect|alright|all right|right|understood|got it|now|next|first|second|then|so|finally|to start|to begin)[,.!:]?\s+)*`
const announcement = String.raw`(?:(?:i(?:'ll| will| am going to|'m going to)|let me|let's)\s+)`
const adverbs = String.raw`(?:(?:now|first|next|then|also|quickly|just|go ahead and|proceed to|start by|begin by|continue by|continue to|take a|have a)\s+)*`
/** Verbs that need a tool call, unlike "know", "explain" or "summarize". */
const verbs = [
  'read',
  'look',
  'check',
  'open',
  'search',
  'find',
  'list',
  'grep',
  'run',
  'rerun',
  're-run',
  'execute',
  'create',
  'write',
  'edit',
  'update',
  'modify',
  'fix',
  'implement',
  'inspect',
  'examine',
  'explore',
  'investigate',
  'locate',
  'apply',
  'replace',
  'remove',
  'delete',
  'rename',
  'refactor',
  'install',
  'build',
  'verify',
  'view',
  'call',
  'test',
  'add',
  'make',
]
const verb = String.raw`(?:${verbs.join('|')}|${verbs.map(gerund).join('|')})\b`
const promise = new RegExp(`^${connective}${announcement}${adverbs}${verb}`, 'i')
/** Matches sentences that are conditional or refer to a later time. */
const conditional =
  /\b(?:if|once|when|whenever|unless|until|after you|before you|should you|would you|as soon as|later|next time|in the future|from now on|another time|in a follow-up)\b/i

/**
 * Whether an answer without a call ends by announcing one ("I will now read the file.").
 * @param unfinished the model's to-do list has open steps: any sentence of the last paragraph counts, not only the last
 */
export function promisesCall(text: string, unfinished: boolean): boolean {
  const paragraph = lastParagraph(text)
  if (paragraph === undefined || paragraph.includes('?')) return false
  const sentences = paragraph
    .split(/(?<=[.!:…])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
  const candidates = unfinished ? sentences : sentences.slice(-1)
  return candidates.some((sentence) => sentence.length <= 300 && promise.test(sentence) && !conditional.test(sentence))
}

/** Returns the last paragraph of prose. A code block after it is ignored only if a colon introduces it. */
function lastParagraph(text: string): string | undefined {
  const plain = text.replaceAll('’', "'").trim()
  const fence = startOfLastFence(plain)
  const prose = plain.slice(0, fence).trim()
  if (fence !== undefined && !prose.endsWith(':')) return undefined
  const last =
    prose
      .split(/\n\s*\n/)
      .at(-1)
      ?.trim() ?? ''
  // A list, heading, table or quotation is the answer itself, not an announcement.
  if (/^(?:[-*+]\s|\d+[.)]\s|#|\||>)/m.test(last)) return undefined
  return last.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ')
}

/**
 * Returns the start of the code block at the end of a text. A regular expression would take quadratic time on a long
 * answer.
 */
function startOfLastFence(text: string): number | undefined {
  if (!text.endsWith('\n```') && !text.endsWith('\n~~~')) return undefined
  const closingLine = text.length - '\n```'.length
  const marks = ['```', '~~~'].map((mark) => text.indexOf(mark)).filter((at) => at !== -1)
  const start = Math.min(...marks)
  return text.indexOf('\n', start) < closingLine && start < closingLine ? start : undefined
}

function gerund(word: string): string {
  if (/(?:run|grep)$/.test(word)) return `${word}${word.at(-1)}ing`
  return word.endsWith('e') ? `${word.slice(0, -1)}ing` : `${word}ing`
}
