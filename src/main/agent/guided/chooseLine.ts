import type { ChatMessage, TokenLikelihood } from '../../model/modelClient.ts'
import type { GuidedModel } from './guidedModel.ts'
import { answerPrompt, changePrefix, changePrompt, emptyChange, emptyQuestion, objectSchema } from './questions.ts'

/** Likelihoods below this are noise. */
const noise = 0.001

/** A prompt, and the beginning of its answer. */
interface Begun {
  messages: readonly ChatMessage[]
  begun: string
}

/**
 * Lets the model choose one of several texts: compares how likely each one continues an answer with and without the
 * task, token by token where texts begin alike.
 * @param texts not empty; the last character of each marks its end
 * @returns undefined if the server reports no likelihoods
 */
async function chooseText(
  model: GuidedModel,
  asked: Begun,
  alone: Begun,
  texts: readonly string[],
): Promise<string | undefined> {
  let left = texts.map((text) => ({ text, rest: text }))
  let begun = ''
  const take = (common: string, kept = left) => {
    begun += common
    left = kept.map(({ text, rest }) => ({ text, rest: rest.slice(common.length) }))
  }
  while (left.length > 1) {
    take(commonStart(left.map(({ rest }) => rest)))
    const next = await model.tokens(asked.messages, asked.begun + begun)
    const usual = await model.tokens(alone.messages, alone.begun + begun)
    if (!next || !usual) return undefined
    const scored = left
      .map((each) => ({
        each,
        score: Math.log(likelihood(next, each.rest) + noise) - Math.log(likelihood(usual, each.rest) + noise),
      }))
      .toSorted((a, b) => b.score - a.score)
    const best = scored[0]
    const equal = scored.filter(({ score }) => score === best?.score).map(({ each }) => each)
    const token = next
      .filter((each) => each.token !== '' && equal.some(({ rest }) => rest.startsWith(each.token)))
      .toSorted((a, b) => b.logprob - a.logprob)[0]?.token
    if (equal.length === 1 || token === undefined) return equal[0]?.text
    take(
      token,
      equal.filter(({ rest }) => rest.startsWith(token)),
    )
  }
  return left[0]?.text
}

/**
 * Lets the model choose the line that a task changes.
 * @param lines the lines on offer without indentation, not empty
 * @returns undefined if the server reports no likelihoods
 */
export async function chooseLine(
  model: GuidedModel,
  { path, text, task, lines }: { path: string; text: string; task: string; lines: readonly string[] },
): Promise<string | undefined> {
  const inJson = new Map(lines.map((line) => [JSON.stringify(line).slice(1), line]))
  const chosen = await chooseText(
    model,
    { messages: changePrompt(path, text, task), begun: changePrefix(task) },
    { messages: changePrompt(path, text, emptyChange), begun: changePrefix(emptyChange) },
    [...inJson.keys()],
  )
  return chosen === undefined ? undefined : inJson.get(chosen)
}

/**
 * Lets the model choose the line of a text that answers a question. Uses a schema if the server reports no likelihoods.
 * @returns undefined if the text is empty, or the server enforces no schema
 */
export async function chooseEvidence(model: GuidedModel, text: string, question: string): Promise<string | undefined> {
  const all = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => /[\p{L}\p{N}]/u.test(line))
  const lines = all.slice(0, maxLines)
  if (lines.length === 0) return undefined
  const chosen = await chooseText(
    model,
    { messages: answerPrompt(text, question), begun: '' },
    { messages: answerPrompt(text, emptyQuestion), begun: '' },
    lines.map((line) => `${line}\n`),
  )
  if (chosen !== undefined) return chosen.trimEnd()
  const { line } = await model.fill(answerPrompt(text, question), objectSchema({ line: { enum: lines } }))
  return lines.find((each) => each === line)
}

/** Returns how likely the next token begins the text. */
function likelihood(tokens: readonly TokenLikelihood[], text: string): number {
  return tokens
    .filter(({ token }) => token !== '' && text.startsWith(token))
    .reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)
}

/** Returns the common beginning of all texts. */
function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  let length = 0
  while (length < first.length && others.every((text) => text[length] === first[length])) length += 1
  return first.slice(0, length).trimEnd()
}

/**
 * Returns the lines that share the most distinctive words with the task, as they are in the file but without
 * indentation; all lines if none shares a word. With this, SmolLM2-135M found the right line for 12 of 13 changes
 * instead of 8.
 * @param path of the file. Its words do not count, because they say nothing about the line
 */
export function candidateLines(text: string, task: string, path: string): string[] {
  const lines = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const inPath = words(path)
  const asked = new Set([...words(task)].filter((word) => !inPath.has(word)))
  const written = new Set(task.match(wordPattern))
  // A word in different case counts less, as it may be the new text: "change NAME to hello" is not the line with "Hello".
  const shared = lines.map((line) => {
    const weights = new Map<string, number>()
    for (const each of line.match(wordPattern) ?? []) {
      const word = each.toLowerCase()
      if (asked.has(word)) weights.set(word, written.has(each) ? 1 : (weights.get(word) ?? 0.5))
    }
    return [...weights]
  })
  const counts = new Map<string, number>()
  for (const [word] of shared.flat()) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log(1 + lines.length / (counts.get(word) ?? 1))
  const scores = shared.map((each) => each.reduce((sum, [word, weight]) => sum + weight * rarity(word), 0))
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  const offered = best > 0 ? lines.filter((_, at) => (scores[at] ?? 0) >= best / 2) : lines
  return offered.slice(0, maxLines)
}

/** Maximum number of lines to choose from. */
const maxLines = 80

const wordPattern = /[\p{L}\p{N}]+/gu
const words = (text: string): Set<string> => new Set(text.toLowerCase().match(wordPattern))
