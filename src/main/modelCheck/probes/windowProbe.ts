import { isAbort } from '../../../shared/errors.ts'
import type { WindowFacts } from '../../../shared/models/modelCheck.ts'
import { ModelError, type ChatMessage } from '../../model/modelClient.ts'
import { randomInteger } from '../tasks/random.ts'
import type { Answer, SendProbe } from './sendProbe.ts'

/** Tokens of the first prompt. Every model can read it, and it shows the number of characters per token. */
const firstSize = 1500
/** Prompts are not made longer than this without a known context size, because processing them takes minutes. */
const maxUnknown = 65_536
/** Prompts never exceed this, whatever size the server states, because it may answer without reading them. */
const maxStated = 1_048_576
/** A reported count below this share of the expected one means that a part of the prompt is missing. */
const minShare = 0.85
/** Characters per token of the filler before the first count. */
const assumedCharacters = 3.2
/** Counts outside this range of characters per token are wrong, so they are ignored. */
const possibleCharacters = { min: 1, max: 8 } as const
/** Tokens left for the answer below the assumed context size. */
const answerRoom = 400
/** How far the last prompt exceeds the assumed context size. */
const beyondFactor = 1.25

export interface WindowProbeDeps {
  sendProbe: SendProbe
  /** The context size that requests assume. */
  assumed: number | undefined
  /** The code word in the first message. */
  code: string
  random: () => number
  /** Time for all prompts in milliseconds. A prompt that would take longer is not sent. */
  budgetMs: number
  onProgress?(tokens: number): void
  /** Receives the facts known after each prompt, in case a later prompt fails. */
  onFacts?(facts: WindowFacts): void
}

export const windowQuestion = 'What is the code word in the first message? Answer with the code word only.'
const windowMarker = (code: string): string => `The code word is ${code}. Remember it.`

/**
 * Finds out how much of a prompt reaches the model. Sends growing prompts with a code word in the first message, and
 * compares the server's token counts with the sent sizes. Does not trust a stated context size: the last prompt exceeds
 * it, to detect a server that silently drops the start of long prompts.
 * @throws ModelError if a prompt fails for another reason than its length, AbortError
 */
export async function probeWindow(deps: WindowProbeDeps): Promise<WindowFacts> {
  const { sendProbe, assumed, code, budgetMs, onProgress, onFacts } = deps
  const deadline = performance.now() + budgetMs
  const facts: WindowFacts = { ...(assumed !== undefined && { assumed }), complete: 0, beyond: 'untested' }
  let charactersPerToken = assumedCharacters
  /** Whether the server counts tokens. A count that cannot be right is ignored. */
  let counts = true
  let msPerToken = 0
  for (const size of sizes(assumed)) {
    if (performance.now() + msPerToken * size > deadline) return facts
    onProgress?.(size)
    const messages = prompt(size * charactersPerToken, deps)
    const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
    let answer: Answer
    try {
      answer = await sendProbe(messages)
    } catch (error) {
      const limit = limitOf(error, facts.complete)
      if (limit !== undefined) return { ...facts, ...limit }
      // A prompt that takes too long ends the search, but what is known stays.
      if (facts.complete > 0 && isAbort(error)) return facts
      throw error
    }
    const recalled = answer.text.toUpperCase().includes(code)
    if (facts.complete === 0) {
      // The first prompt fits, so its count shows how many characters a token has.
      counts = isPossible(countOf(answer), characters)
      if (counts) charactersPerToken = characters / (countOf(answer) ?? characters)
    }
    const expected = Math.round(characters / charactersPerToken)
    const counted = counts ? possibleCount(answer, characters) : undefined
    const isShort = counted !== undefined && counted < expected * minShare
    // The first count is for the same kind of text. The event `promptCut` is based on counts of other texts, and text
    // with many digits can have twice as many tokens. A model that repeats the code word has read everything.
    const isCut = counted === undefined ? facts.recalled === facts.complete : isShort
    if (facts.complete > 0 && !recalled && isCut)
      return { ...facts, beyond: 'cut', limit: Math.max(facts.complete, counted ?? 0) }
    facts.complete = counted === undefined || isShort ? expected : counted
    if (recalled) facts.recalled = facts.complete
    if (counts || facts.recalled !== undefined) delete facts.unconfirmed
    else facts.unconfirmed = true
    onFacts?.({ ...facts })
    msPerToken = Math.max(msPerToken, answer.ms / facts.complete)
  }
  return facts
}

/** Sizes of the prompts in tokens: doubling, then just below the assumed context size, then above it. */
function sizes(assumed: number | undefined): number[] {
  const end = assumed === undefined ? maxUnknown : Math.min(Math.max(1, assumed - answerRoom), maxStated)
  const found: number[] = []
  for (let size = Math.min(firstSize, end); size < end; size *= 2) found.push(size)
  const beyond = Math.round((assumed ?? Infinity) * beyondFactor)
  return [...found, end, ...(beyond <= maxStated ? [beyond] : [])]
}

/** The reported count of the prompt, if any. */
function countOf({ usage }: Answer): number | undefined {
  return usage === undefined || usage.estimated ? undefined : usage.promptTokens
}

/** The count of the prompt, unless there are more tokens than characters. */
function possibleCount(answer: Answer, characters: number): number | undefined {
  const counted = countOf(answer)
  return counted !== undefined && counted <= characters / possibleCharacters.min ? counted : undefined
}

function isPossible(counted: number | undefined, characters: number): boolean {
  const { min, max } = possibleCharacters
  return counted !== undefined && characters / counted >= min && characters / counted <= max
}

/** Reads the limit from an error about a prompt that is too long; undefined for other errors. */
function limitOf(error: unknown, complete: number): Pick<WindowFacts, 'beyond' | 'limit'> | undefined {
  if (!(error instanceof ModelError) || error.code !== 'context_exceeded') return undefined
  const reported = error.excess?.window
  // A limit below a prompt that has arrived is wrong.
  return {
    beyond: 'refused',
    ...(reported !== undefined && reported >= complete ? { limit: reported } : complete > 0 && { limit: complete }),
  }
}

/**
 * Builds a conversation of this many characters. It has many messages, like real ones, because servers drop whole
 * messages.
 */
function prompt(characters: number, { code, random }: WindowProbeDeps): ChatMessage[] {
  const messages: ChatMessage[] = [{ role: 'user', content: `${windowMarker(code)}\n${filler(random, 600)}` }]
  let length = 600
  while (length < characters - 600) {
    messages.push({ role: 'assistant', content: 'Noted.' }, { role: 'user', content: filler(random, 600) })
    length += 606
  }
  return [...messages, { role: 'assistant', content: 'Noted.' }, { role: 'user', content: windowQuestion }]
}

/** Lines of a log with random numbers, which no cache knows. */
function filler(random: () => number, characters: number): string {
  let text = ''
  while (text.length < characters)
    text += `Crate ${randomInteger(random, 1000, 9999)} went to pier ${randomInteger(random, 1, 40)}.\n`
  return text.slice(0, characters)
}
