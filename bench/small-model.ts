import { smallModels, type SmallModel } from './smallModel/models.ts'
import { runModel, type ModelRun } from './smallModel/runModel.ts'
import type { Row } from './row.ts'

/** Seed of the package, the same for all models. Other seeds create other names and values. */
const seed = 7

/**
 * Measures whether scripted models with one defect each finish the same repair task, and whether the feature for that
 * defect is necessary: with the feature off, the task must remain unsolved.
 */
export async function measure(): Promise<Row[]> {
  const rows: Row[] = []
  const prefixes: number[] = []
  for (const model of smallModels) {
    const whole = await runModel(model, [], seed)
    prefixes.push(whole.stablePrefix)
    const without = await Promise.all(
      model.needs.map(async (feature) => ({ feature, solved: (await runModel(model, [feature], seed)).solved })),
    )
    const needed = without.every(({ solved }) => !solved)
    rows.push({
      question: `small model that ${predicate(model)}: solves the task, and not without what it needs`,
      value: whole.solved && needed ? 100 : 0,
      unit: '%',
      goal: 100,
      how: [
        described(whole),
        ...without.map(({ feature, solved }) => `without ${feature}: ${solved ? 'solved' : 'not solved'}`),
      ].join('; '),
    })
  }
  rows.push({
    question: 'small models: requests that begin with the whole request before',
    value: (prefixes.reduce((sum, share) => sum + share, 0) / prefixes.length) * 100,
    unit: '%',
    goal: 95,
    how: 'mean over the models; what a server keeps of a prompt (its prefix cache) is used for so many of the requests after the first',
  })
  return rows
}

function predicate({ id, title }: SmallModel): string {
  return id === 'native' ? `is ${title}` : title
}

function described({ solved, requests, promptTokens, stablePrefix }: ModelRun): string {
  return `${solved ? 'solved' : 'not solved'} in ${requests} requests, ${promptTokens.toLocaleString('en-US')} prompt tokens, ${(stablePrefix * 100).toFixed(0)} % stable prefix`
}
