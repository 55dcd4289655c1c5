// Kills a real llama-server at moments spread over its requests (connecting, reading the prompt, writing the answer) and
// starts it again 0.5 to 3 s later. Counts the answers that were lost. A development tool, not part of `npm test`. You
// provide the server and a model.
//
//   node bench/restarts.ts --server PATH_OF_llama-server --model MODEL.gguf [--kills 20]
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createOpenAiClient } from '../src/main/model/clients/openAiClient.ts'
import { freePort } from './llamaServer.ts'

const { values } = parseArgs({
  options: { server: { type: 'string' }, model: { type: 'string' }, kills: { type: 'string', default: '20' } },
})
const { server, model } = values
if (!server || !model) throw new Error('--server and --model are required.')

const port = await freePort()
const start = (): ChildProcess =>
  spawn(
    server,
    ['-m', model, '--jinja', '-c', '8192', '-np', '1', '-t', '1', '--host', '127.0.0.1', '--port', String(port)],
    {
      stdio: 'ignore',
    },
  )
let running = start()
const client = createOpenAiClient({ name: 'llama.cpp', baseUrl: `http://127.0.0.1:${port}`, server: 'llamacpp' })
const kills = Number(values.kills)
let lost = 0
const discarded = { answers: 0 }

/** Requests an answer of 60 tokens to a prompt that differs each time. @returns whether it is complete */
async function ask(round: number): Promise<boolean> {
  let text = ''
  let finished = false
  const content = `Question ${round}. ${'The river runs through the valley and the old town. '.repeat(40)}Tell a story about it.`
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content }],
    tools: [],
    temperature: 0,
    maxTokens: 60,
    signal: AbortSignal.timeout(120_000),
  }
  for await (const event of client.stream(request)) {
    if (event.kind === 'text') text += event.text
    else if (event.kind === 'finish') finished = true
    else if (event.kind === 'discarded') {
      text = ''
      discarded.answers += 1
    }
  }
  return finished && text !== ''
}

await ask(0)
for (let round = 1; round <= kills; round++) {
  const answer = ask(round)
  // Handled below.
  answer.catch(() => undefined)
  await delay((round / kills) * 2500)
  running.kill('SIGKILL')
  await once(running, 'exit')
  await delay(500 + ((round * 7) % 6) * 500)
  running = start()
  const complete = await answer.catch((error: unknown) => {
    console.log(`kill ${round}: ${String(error)}`)
    return false
  })
  if (!complete) lost += 1
}
running.kill()
console.log(`${kills} kills: ${lost} answers lost, ${discarded.answers} begun answers replaced.`)
