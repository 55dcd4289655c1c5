import type { Act } from './acts.ts'
import type { GuidedModel, Ranked } from './guidedModel.ts'
import { actBegun, actPrompt, actSchema, emptyTasks } from './questions.ts'

/** Likelihood below which a difference means nothing. */
const noise = 0.01

/** Difference of scores below which two acts count as equal. */
const clearLead = 0.3

const readingActs: readonly Act[] = ['read', 'search', 'list']

/** Chooses the act that begins a task. */
export interface ActChooser {
  /** @returns the acts from the most to the least likely one; only one if the server reports no likelihoods */
  choose(task: string): Promise<Act[]>
}

/**
 * Compares the likelihoods of the acts with those for tasks without a meaning, averaged over two orders of the examples
 * (calibration as in Zhao et al. 2021, "Calibrate Before Use"). Of 49 tasks, SmolLM2-135M so chose the right act for 40
 * instead of 29.
 */
export function createActChooser(
  model: GuidedModel,
  offered: readonly Act[],
  biases: Map<string, readonly number[]>,
): ActChooser {
  const scores = async (task: string, reversed: boolean): Promise<number[] | undefined> => {
    const ranked = await model.likelihoods(actPrompt(task, offered, reversed), actBegun(task), offered)
    return ranked && offered.map((act) => scoreOf(ranked, act))
  }
  const biasOf = async (reversed: boolean): Promise<readonly number[] | undefined> => {
    const key = JSON.stringify([offered, reversed])
    const known = biases.get(key)
    if (known) return known
    const all: number[][] = []
    for (const empty of emptyTasks) {
      const each = await scores(empty, reversed)
      if (!each) return undefined
      all.push(each)
    }
    const mean = offered.map((_, at) => all.reduce((sum, each) => sum + (each[at] ?? 0), 0) / all.length)
    biases.set(key, mean)
    return mean
  }

  return {
    async choose(task) {
      const sums = offered.map(() => 0)
      for (const reversed of [false, true]) {
        const own = await scores(task, reversed)
        const bias = own && (await biasOf(reversed))
        if (!bias) return [await sampled(task)]
        for (const at of sums.keys()) sums[at] = (sums[at] ?? 0) + (own[at] ?? 0) - (bias[at] ?? 0)
      }
      const ranked = offered
        .map((act, at) => ({ act, score: (sums[at] ?? 0) / 2 }))
        .toSorted((a, b) => b.score - a.score)
      return harmlessFirst(ranked).map(({ act }) => act)
    },
  }

  async function sampled(task: string): Promise<Act> {
    const { tool } = await model.fill(actPrompt(task, offered), actSchema(task, offered))
    return offered.find((act) => act === tool) ?? offered[0] ?? 'read'
  }
}

/** Puts an act that only reads first if the best one is hardly better. */
function harmlessFirst(ranked: readonly { act: Act; score: number }[]): readonly { act: Act; score: number }[] {
  const [best] = ranked
  const harmless = ranked.find(({ act }) => readingActs.includes(act))
  if (!best || !harmless || best.score - harmless.score >= clearLead) return ranked
  return [harmless, ...ranked.filter((each) => each !== harmless)]
}

/** Returns the logarithm of a likelihood, where differences below `noise` hardly count. */
function scoreOf(ranked: readonly Ranked<string>[], name: string): number {
  return Math.log(Math.exp(ranked.find((each) => each.name === name)?.score ?? -Infinity) + noise)
}
