import { resolve } from 'node:path'
import { modelName } from '../src/main/model/file/modelFileParts.ts'
import { runTask, type RealServer, type Way } from './realModel/runTask.ts'
import { realTasks } from './realModel/tasks.ts'
import type { Row } from './row.ts'

/** Path of a model file, or address of a running server and name of its model: `http://127.0.0.1:8080 SmolLM2-135M`. */
const serverVariable = 'TIZONA_REAL_SERVER'

/**
 * Lets a real small model solve 24 small tasks, each judged by its effect, in each way to call tools. Half of the tasks
 * were never looked at while the prompts were tuned, so their steps are not printed. Without a model nothing is measured.
 */
export async function measure(): Promise<Row[]> {
  const server = serverOf(process.env[serverVariable] ?? '')
  if (!server) {
    console.log(
      `not run: ${serverVariable} names no model, for example "http://127.0.0.1:8080 SmolLM2-135M-Instruct" or "SmolLM2.gguf"`,
    )
    return []
  }
  const rows: Row[] = []
  // A model file has no native calls.
  const ways = server.kind === 'gguf' ? (['text', 'guided'] as const) : (['native', 'text', 'guided'] as const)
  for (const way of ways) rows.push(...(await measureWay(server, way)))
  return rows
}

function serverOf(named: string): RealServer | undefined {
  if (/\.gguf$/i.test(named)) return { kind: 'gguf', baseUrl: resolve(named), model: modelName(named) }
  const [baseUrl, model] = named.split(' ')
  return baseUrl && model ? { kind: 'openai', baseUrl, model } : undefined
}

async function measureWay(server: RealServer, way: Way): Promise<Row[]> {
  const solved = { tuned: 0, held: 0 }
  let seconds = 0
  for (const task of realTasks) {
    const run = await runTask(task, server, { way, toolset: 'blade', temperature: 0 })
    seconds += run.seconds
    if (run.solved) solved[task.held ? 'held' : 'tuned'] += 1
    const steps = task.held ? '' : `: ${run.steps.join(' | ').slice(0, 300)}`
    console.log(`${way} ${run.solved ? 'solved' : 'not solved'}: ${task.name}${steps}`)
  }
  const all = realTasks.length
  return [
    {
      question: `real model ${server.model}, ${way} calls: tasks solved of ${all}`,
      value: ((solved.tuned + solved.held) / all) * 100,
      unit: '%',
      how: `${solved.tuned} of the ${all / 2} tasks that prompts were tuned on, ${solved.held} of the others; ${(seconds / all).toFixed(1)} s a task`,
    },
  ]
}
