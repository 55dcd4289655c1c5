import type { TokenLikelihood } from '../../model/clients/modelClient.ts'
import type { GuidedModel } from './guidedModel.ts'
import { changeBegun, changePrompt, emptyChange } from './questions.ts'

/** Likelihood below which a difference means nothing. */
const noise = 0.001

/**
 * Lets the model choose the line that a task changes: it compares how likely the task makes each line with how likely
 * the file alone makes it, token by token where lines begin alike.
 * @param lines the lines on offer without indentation, not empty
 * @returns undefined if the server reports no likelihoods
 */
export async function chooseLine(
  model: GuidedModel,
  { path, text, task, lines }: { path: string; text: string; task: string; lines: readonly string[] },
): Promise<string | undefined> {
  let left = lines.map((line) => ({ line, rest: JSON.stringify(line).slice(1) }))
  let begun = ''
  const take = (common: string, kept = left) => {
    begun += common
    left = kept.map(({ line, rest }) => ({ line, rest: rest.slice(common.length) }))
  }
  while (left.length > 1) {
    take(commonStart(left.map(({ rest }) => rest)))
    const asked = await model.tokens(changePrompt(path, text, task), changeBegun(task) + begun)
    const alone = await model.tokens(changePrompt(path, text, emptyChange), changeBegun(emptyChange) + begun)
    if (!asked || !alone) return undefined
    const scored = left
      .map((each) => ({
        each,
        score: Math.log(likelihood(asked, each.rest) + noise) - Math.log(likelihood(alone, each.rest) + noise),
      }))
      .toSorted((a, b) => b.score - a.score)
    const best = scored[0]
    const equal = scored.filter(({ score }) => score === best?.score).map(({ each }) => each)
    const next = asked
      .filter(({ token }) => token !== '' && equal.some(({ rest }) => rest.startsWith(token)))
      .toSorted((a, b) => b.logprob - a.logprob)[0]
    if (equal.length === 1 || !next) return equal[0]?.line
    take(
      next.token,
      equal.filter(({ rest }) => rest.startsWith(next.token)),
    )
  }
  return left[0]?.line
}

/** Returns how likely the next token begins the text. */
function likelihood(tokens: readonly TokenLikelihood[], text: string): number {
  return tokens
    .filter(({ token }) => token !== '' && text.startsWith(token))
    .reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)
}

/** Returns the text with which all texts begin. */
function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  let length = 0
  while (length < first.length && others.every((text) => text[length] === first[length])) length += 1
  return first.slice(0, length).trimEnd()
}

/**
 * Returns the lines that share the most distinctive words with the task, as they are in the file but without
 * indentation; all lines if none shares a word. Of 13 changes, SmolLM2-135M so found the line of 12 instead of 8.
 */
export function linesOnOffer(text: string, task: string): string[] {
  const lines = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const asked = words(task)
  const shared = lines.map((line) => [...words(line)].filter((word) => asked.has(word)))
  const counts = new Map<string, number>()
  for (const word of shared.flat()) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log(1 + lines.length / (counts.get(word) ?? 1))
  const scores = shared.map((each) => each.reduce((sum, word) => sum + rarity(word), 0))
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  const offered = best > 0 ? lines.filter((_, at) => (scores[at] ?? 0) >= best / 2) : lines
  return offered.slice(0, maxLines)
}

/** Maximum number of lines to choose from. */
const maxLines = 80

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
