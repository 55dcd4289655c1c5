// Kills a real llama-server in the middle of turns and starts it again 0.5 to 3 s later: within begun answers, or at
// the steps of guided turns. Counts the turns that lost their answer. A development tool, not part of `npm test`.
// It needs `npm run real -- smollm2 llama-server`.
//
//   node bench/restarts.ts [--kills 20] [--way text|guided]
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runTurn } from '../src/main/core/runTurn.ts'
import { startRealServer } from '../src/main/testing/real/realServers.ts'
import { realWorkspace } from '../src/main/testing/real/realWorkspace.ts'
import type { AssistantItem, TurnOutcome } from '../src/shared/agent/conversation.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, way: { type: 'string', default: 'text' } },
})
const kills = Number(values.kills)
const calls = values.way === 'guided' ? 'guided' : 'text'

let server = await startRealServer('llama-server')
const port = Number(new URL(server.baseUrl).port)
const workspace = await realWorkspace(server, {
  files: { 'memo.md': '# Memo\n\nThe meeting is in room Larch.\nIt begins at ten.\n' },
  // Without the proxy, which would turn a refused connection into a broken one.
  endpoint: { baseUrl: server.baseUrl },
  options: { calls, maxTokens: 80 },
  settings: { toolset: 'rusty', profile: 'minimal' },
})

interface Turn {
  outcome: TurnOutcome
  /** The last answer, and the total number of answers. */
  answer: AssistantItem | undefined
  answers: number
  ms: number
  /** Number of steps: chunks of answers, and in guided turns also calls and results. */
  steps: number
}

/** @param onStep is called with the number of steps so far */
async function ask(text: string, onStep: (steps: number) => void = () => undefined): Promise<Turn> {
  const id = await workspace.newConversation()
  const started = performance.now()
  let steps = 0
  const outcome = await runTurn(workspace.core, {
    id,
    text,
    interrupted: AbortSignal.timeout(600_000),
    onEvent(name) {
      if (name === 'conversation.delta' || (calls === 'guided' && name === 'conversation.item')) onStep(++steps)
    },
  })
  const answers = (await workspace.items(id)).filter((item) => item.kind === 'assistant')
  return { outcome, answer: answers.at(-1), answers: answers.length, ms: performance.now() - started, steps }
}

async function restart(round: number): Promise<void> {
  await server.kill()
  await delay(500 + ((round * 7) % 6) * 500)
  server = await startRealServer('llama-server', { port })
}

const question = (round: number): string =>
  calls === 'guided'
    ? 'Read memo.md and tell me the meeting room.'
    : `Question ${round}. ${'The river runs through the valley and the old town. '.repeat(10)}Tell a story about it.`

let lost = 0
let equal = 0
let killed = 0
for (let round = 1; round <= kills; round++) {
  // The same turn without a kill, for comparison.
  const undisturbed = await ask(question(round))
  const restarts: Promise<void>[] = []
  // Deltas reach the window in groups.
  const at = calls === 'guided' ? 1 + (round % (undisturbed.steps - 1)) : 1 + (round % 4)
  const turn = await ask(question(round), (steps) => {
    if (steps >= at && restarts.length === 0) restarts.push(restart(round))
  })
  await Promise.all(restarts)
  const isComplete = turn.outcome === undisturbed.outcome && turn.answers === undisturbed.answers && turn.answer?.text
  killed += restarts.length
  if (!isComplete) lost += 1
  if (turn.answer?.text === undisturbed.answer?.text) equal += 1
  console.log(
    `${round}: step ${at} of ${undisturbed.steps}, ${turn.outcome}, ${turn.answer?.text.length ?? 0} characters after ${Math.round(turn.ms)} ms; ` +
      `undisturbed ${undisturbed.outcome}, ${undisturbed.answer?.text.length ?? 0} after ${Math.round(undisturbed.ms)} ms`,
  )
}
await workspace.close()
await server.stop()
console.log(`${killed} kills: ${lost} answers lost, ${equal} equal to an undisturbed one.`)
