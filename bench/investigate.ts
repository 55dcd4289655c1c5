import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Core } from '../src/main/core.ts'
import { callTool, openCore } from './core.ts'
import { heldOut, measured, type Question, type QuestionSet } from './questions.ts'
import { median, time, type Row } from './row.ts'

/** Rank of the correct file in a result: 1 is first, 0 is absent. */
export interface Answered {
  question: Question
  place: number
  ms: number
  files: string[]
}

/** Measures how often codebase_investigator without a model lists the right file among the first three. */
export async function measure(): Promise<Row[]> {
  return [await row(measured, 18), await row(heldOut)]
}

async function row(set: QuestionSet, goal?: number): Promise<Row> {
  const answers = await investigate(set)
  const asked = set.questions.length
  const right = rightAmong(answers, 3)
  const first = answers.filter(({ place }) => place === 1).length
  const times = median(answers.map(({ ms }) => ms))
  return {
    question: `right file among the first 3 of codebase_investigator, ${set.package}${goal === undefined ? ' (held out)' : ''}`,
    value: (right / asked) * 100,
    unit: '%',
    ...(goal === undefined ? {} : { goal: (goal / asked) * 100 }),
    how: `${right} of ${asked} questions without a model, ${first} first; median ${times.toFixed(0)} ms`,
  }
}

export function rightAmong(answers: readonly Answered[], first: number): number {
  return answers.filter(({ place }) => place > 0 && place <= first).length
}

/** Prepares the core for the questions. */
export interface Preparation {
  open(core: Core): Promise<void>
  /** Returns false if a result did not use everything that was prepared, so that the question must be repeated. */
  complete(): Promise<boolean>
}

/** Runs a set's questions on a copy of its package, because the index skips node_modules. */
export async function investigate(set: QuestionSet, preparation?: Preparation): Promise<Answered[]> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-bench-questions-'))
  const root = join(home, set.package)
  const source = dirname(createRequire(import.meta.url).resolve(`${set.package}/package.json`))
  await cp(source, root, { recursive: true, filter: (path) => !path.slice(source.length).includes('node_modules') })
  const { core, close } = await openCore(root)
  try {
    await preparation?.open(core)
    await wholeIndex(() => callTool(core, 'symbol_search', { query: 'anything' }))
    const answers: Answered[] = []
    for (const question of set.questions) {
      let text = ''
      let ms = 0
      do
        ms = await time(async () => {
          text = await callTool(core, 'codebase_investigator', { objective: question.ask })
        })
      while (preparation && !(await preparation.complete()))
      const files = filesOf(text)
      answers.push({ question, place: files.findIndex((file) => question.files.includes(file)) + 1, ms, files })
    }
    return answers
  } finally {
    await close()
    await rm(home, { recursive: true, force: true })
  }
}

/** Repeats a call until its result no longer reports an incomplete index. */
async function wholeIndex(ask: () => Promise<string>): Promise<void> {
  while ((await ask()).includes('still being built')) await wait(20)
}

/** Returns the files in the order of the findings. */
function filesOf(text: string): string[] {
  // The tests of the tool check this format.
  const { findings } = JSON.parse(text) as { findings: { evidence: { path: string }[] }[] }
  return [...new Set(findings.flatMap(({ evidence }) => evidence.map(({ path }) => path)))]
}
