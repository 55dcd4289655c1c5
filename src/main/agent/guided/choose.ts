import { createHash } from 'node:crypto'
import type { GuidedCalibration } from '../../model/endpoints/guidedCalls.ts'
import type { Act } from './acts.ts'
import type { GuidedModel } from './guidedModel.ts'
import { actQuestion, debugQuestion, following, followingQuestion, kindQuestion, type Question } from './questions.ts'

interface Choice<T extends string> {
  name: T
  score: number
}

/** Likelihoods below this are noise. */
const noise = 0.01
/** Acts whose scores differ by less count as equal. */
const clearLead = 0.3
/** Minimum lead of "talk" if files contain words of the message. */
const clearTalk = 0.5
/**
 * Minimum lead of "step" over "note". The calibration favors "step", because the meaningless sentences that it uses are
 * notes themselves.
 */
const clearStep = 1.4
/** Minimum lead of "variables", because most tasks about a program need no debugger. */
const clearDebug = 1.5
const readingActs: readonly Act[] = ['read', 'search', 'list']

/** What the choices of a guided turn need. */
export interface ChoiceDeps extends GuidedCalibration {
  model: GuidedModel
}

/**
 * Lets the model decide whether a message is something to do, or talk. SmolLM2-135M was right for 59 of 61 messages.
 * @param isInFolder whether files contain words of the message. Then talk must be clearly more likely: "change NAME to
 *   hello" scored slightly higher as talk than as work
 */
export async function isTalk(deps: ChoiceDeps, message: string, isInFolder: boolean): Promise<boolean> {
  const [first, second] = await choose(deps, kindQuestion, message)
  const lead = first && second ? first.score - second.score : Infinity
  return first?.name === 'talk' && (!isInFolder || lead >= clearTalk)
}

/**
 * Lets the model decide whether a sentence is a step of its own, or says how to do what comes before: "Change nothing
 * else." was carried out as a change. SmolLM2-135M was right for 53 of 60 sentences, in five languages.
 */
export async function isNote(deps: ChoiceDeps, before: string, sentence: string): Promise<boolean> {
  const ranked = await choose(deps, followingQuestion, following(before, sentence))
  const scoreOf = (kind: 'note' | 'step') => ranked.find(({ name }) => name === kind)?.score ?? -Infinity
  return scoreOf('step') - scoreOf('note') < (ranked.length > 1 ? clearStep : 0)
}

/**
 * Lets the model choose the act that begins a task. An act that only reads takes precedence over an almost equally
 * likely one, and any other act over "delete". With this, SmolLM2-135M chose the right act for 40 of 49 tasks; without
 * calibration, for 29. Giving reads precedence over all acts that change something was right for 36.
 * @returns what to try: the act, then those that only read, because a failed guess must not lead to a change
 */
export async function chooseAct(deps: ChoiceDeps, offered: readonly Act[], task: string): Promise<Act[]> {
  const ranked = await choose(deps, actQuestion(offered), task)
  const reading = ranked.map(({ name }) => name).filter((name) => readingActs.includes(name))
  const equal = ranked.filter(({ score }) => score > (ranked[0]?.score ?? 0) - clearLead).map(({ name }) => name)
  const first = reading.find((name) => equal.includes(name)) ?? equal.find((name) => name !== 'delete') ?? equal[0]
  return [...new Set([...(first ? [first] : []), ...reading])]
}

/**
 * Lets the model decide whether a task that reads or runs a program asks for values while it runs. SmolLM2-135M was
 * right for 53 of the 60 tasks that the lead was chosen on.
 */
export async function needsDebugger(deps: ChoiceDeps, act: 'read' | 'run', task: string): Promise<boolean> {
  const [first, second] = await choose(deps, debugQuestion(act), task)
  return first?.name === 'variables' && first.score - (second?.score ?? -Infinity) >= clearDebug
}

/**
 * Compares the likelihoods of the names with those for meaningless tasks, averaged over two orders of the examples
 * (calibration as in Zhao et al. 2021, "Calibrate Before Use").
 * @returns the names from the most to the least likely one; one alone if the server reports no likelihoods
 */
async function choose<T extends string>(
  { model, biases }: ChoiceDeps,
  question: Question<T>,
  task: string,
): Promise<Choice<T>[]> {
  const { names } = question
  const scoresOf = async (text: string, reversed: boolean): Promise<number[] | undefined> => {
    const ranked = await model.likelihoods(question.prompt(text, reversed), question.begun(text), names)
    return ranked?.map(({ score }) => Math.log(Math.exp(score) + noise))
  }
  const biasOf = async (reversed: boolean): Promise<readonly number[] | undefined> => {
    // The file that keeps them may be from another version of Tizona.
    const asked = JSON.stringify([names, question.emptyTasks, question.prompt('', reversed)])
    const key = createHash('sha256').update(asked).digest('hex').slice(0, 16)
    const known = biases.get(key)
    if (known) return known
    const all: number[][] = []
    for (const empty of question.emptyTasks) {
      const each = await scoresOf(empty, reversed)
      if (!each) return undefined
      all.push(each)
    }
    const mean = names.map((_, at) => all.reduce((sum, each) => sum + (each[at] ?? 0), 0) / all.length)
    biases.set(key, mean)
    return mean
  }

  const sums = names.map(() => 0)
  // The next request fills in the arguments with the examples in their own order, so this order comes last.
  const orders = [true, false]
  for (const reversed of orders) {
    const own = await scoresOf(task, reversed)
    const bias = own && (await biasOf(reversed))
    if (!bias) {
      const { [question.field]: filled } = await model.fill(question.prompt(task, false), question.schema(task))
      return names.filter((name) => name === filled).map((name) => ({ name, score: 0 }))
    }
    for (const at of sums.keys()) sums[at] = (sums[at] ?? 0) + (own[at] ?? 0) - (bias[at] ?? 0)
  }
  return names
    .map((name, at) => ({ name, score: (sums[at] ?? 0) / orders.length }))
    .toSorted((a, b) => b.score - a.score)
}
