import { runTask, type RealServer, type Way } from './realModel/runTask.ts'
import { realTasks } from './realModel/tasks.ts'
import type { Row } from './row.ts'

/** Address of a running server and the name of its model, e.g. `http://127.0.0.1:8080 SmolLM2-135M-Instruct`. */
const serverVariable = 'TIZONA_REAL_SERVER'

/**
 * Lets a real small model solve 24 small tasks, each judged by its effect, in each way to call tools. Half of the tasks
 * were never looked at while the prompts were tuned. Without a server nothing is measured.
 */
export async function measure(): Promise<Row[]> {
  const [baseUrl, model] = process.env[serverVariable]?.split(' ') ?? []
  if (!baseUrl || !model) {
    console.log(`not run: ${serverVariable} names no server, for example "http://127.0.0.1:8080 SmolLM2-135M-Instruct"`)
    return []
  }
  const server: RealServer = { kind: 'openai', baseUrl, model }
  const rows: Row[] = []
  for (const way of ['native', 'text', 'guided'] as const) rows.push(...(await measureWay(server, way)))
  return rows
}

async function measureWay(server: RealServer, way: Way): Promise<Row[]> {
  const solved = { tuned: 0, held: 0 }
  let seconds = 0
  for (const task of realTasks) {
    const run = await runTask(task, server, { way, toolset: 'blade', temperature: 0 })
    seconds += run.seconds
    if (run.solved) solved[task.held ? 'held' : 'tuned'] += 1
    console.log(`${way} ${run.solved ? 'solved' : 'not solved'}: ${task.name}: ${run.steps.join(' | ').slice(0, 300)}`)
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
