import { resolve } from 'node:path'
import { modelName } from '../src/main/model/file/modelFileParts.ts'
import { parts, startGuidedProxy, type GuidedProxy, type Part } from './realModel/guidedProxy.ts'
import { startRealModel, type RealServer, type Way } from './realModel/startRealModel.ts'
import { realTasks } from './realModel/tasks.ts'
import type { Row } from './row.ts'

/**
 * Path of a model file, or address of a running server and name of its model, `http://127.0.0.1:8080 SmolLM2-135M`, with
 * `ollama` at the end for Ollama's own API.
 */
const serverVariable = 'TIZONA_REAL_SERVER'
/**
 * What to measure, separated by spaces: a way to call tools; temperature and seed for guided turns, `0.7/1`; a part that
 * guided turns leave out, `-examples`. Equal requests of these runs are sent once. Default: each way once.
 */
const runsVariable = 'TIZONA_REAL_RUNS'
/** Time limit of a task in seconds. Default: 300. */
const secondsVariable = 'TIZONA_REAL_SECONDS'

interface Run {
  way: Way
  temperature: number
  seed?: number
  without?: Part
}

/**
 * Lets a real small model solve 24 small tasks with each tool calling method. Each task is judged by its effect. Half
 * of the tasks were never looked at while tuning the prompts, so their steps are not printed. Without a model, nothing
 * is measured.
 */
export async function measure(): Promise<Row[]> {
  const server = serverOf(process.env[serverVariable] ?? '')
  if (!server) {
    console.log(
      `not run: ${serverVariable} names no model, for example "http://127.0.0.1:8080 SmolLM2-135M-Instruct" or "SmolLM2.gguf"`,
    )
    return []
  }
  // A model file has no native calls.
  const ways = server.kind === 'gguf' ? 'text guided' : 'native text guided'
  const rows: Row[] = []
  for (const written of (process.env[runsVariable] ?? ways).split(' '))
    rows.push(await measureRun(server, runOf(written)))
  return rows
}

function serverOf(named: string): RealServer | undefined {
  if (/\.gguf$/i.test(named)) return { kind: 'gguf', baseUrl: resolve(named), model: modelName(named) }
  const [baseUrl, model, api] = named.split(' ')
  return baseUrl && model ? { kind: api === 'ollama' ? 'ollama' : 'openai', baseUrl, model } : undefined
}

/** @throws Error for a run that does not exist */
function runOf(written: string): Run {
  if (written === 'native' || written === 'text' || written === 'guided') return { way: written, temperature: 0 }
  const without = parts.find((part) => written === `-${part}`)
  if (without) return { way: 'guided', temperature: 0, without }
  const [, temperature, seed] = /^(\d+(?:\.\d+)?)\/(\d+)$/.exec(written) ?? []
  if (temperature !== undefined) return { way: 'guided', temperature: Number(temperature), seed: Number(seed) }
  throw new Error(
    `There is no run ${written}. There are: native, text, guided, 0.7/1, ${parts.map((part) => `-${part}`).join(', ')}.`,
  )
}

async function measureRun(server: RealServer, { way, temperature, seed, without }: Run): Promise<Row> {
  const proxy =
    way === 'guided' && server.kind === 'openai' ? await startGuidedProxy(server.baseUrl, without) : undefined
  const model = await startRealModel(proxy ? { ...server, baseUrl: proxy.url } : server, {
    way,
    temperature,
    seed,
    taskSeconds: Number(process.env[secondsVariable] ?? 300),
  })
  const title = [
    `${way} calls`,
    ...(seed === undefined ? [] : [`temperature ${temperature}, seed ${seed}`]),
    ...(without ? [`without ${without}`] : []),
  ].join(', ')
  const solved = { tuned: 0, held: 0 }
  let seconds = 0
  try {
    for (const task of realTasks) {
      const run = await model.run(task)
      seconds += run.seconds
      if (run.solved) solved[task.held ? 'held' : 'tuned'] += 1
      const steps = task.held ? '' : `: ${run.steps.join(' | ').slice(0, 300)}`
      console.log(
        `${title}, ${run.solved ? 'solved' : 'not solved'}, ${run.seconds.toFixed(0)} s: ${task.name}${steps}`,
      )
    }
  } finally {
    await model.dispose()
    await proxy?.close()
  }
  if (proxy) printCosts(proxy)
  const all = realTasks.length
  return {
    question: `real model ${server.model}, ${title}: tasks solved of ${all}`,
    value: ((solved.tuned + solved.held) / all) * 100,
    unit: '%',
    how: `${solved.tuned} of the ${all / 2} tasks that prompts were tuned on, ${solved.held} of the others; ${(seconds / all).toFixed(1)} s a task`,
  }
}

function printCosts({ costs }: GuidedProxy): void {
  for (const [purpose, { requests, promptTokens, computed }] of costs)
    console.log(`${purpose}: ${requests} requests, ${promptTokens} prompt tokens, ${computed} of them computed`)
}
