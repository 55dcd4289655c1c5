// Measures with each chat template of a real llama-server how many prompts of a long conversation begin with the whole
// prompt before. The prompts are rendered by its `/apply-template`; the model is scripted. A development tool, not part
// of `npm test`. You provide the server and a model; a tiny model with random weights suffices.
//
//   node bench/llama-templates.ts --server PATH_OF_llama-server --model MODEL.gguf --templates FOLDER [--only NAME]
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startLlamaServer } from './llamaServer.ts'
import { runSession } from './prefixCache/runSession.ts'

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    model: { type: 'string' },
    templates: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const { server, model, templates, only } = values
if (!server || !model || !templates) throw new Error('--server, --model and --templates are required.')

const files = (await readdir(templates)).filter((name) => name.endsWith('.jinja') && name.includes(only)).toSorted()
for (const file of files) {
  const running = await startLlamaServer(server, model, join(templates, file))
  try {
    const run = await runSession({
      window: 65_536,
      profile: 'full',
      // Tizona chooses by the name of the model what reasoning it sends back.
      model: file.replace('.jinja', ''),
      async template({ messages, tools, chat_template_kwargs }) {
        const response = await fetch(`${running.baseUrl}/apply-template`, {
          method: 'POST',
          body: JSON.stringify({ messages, tools, chat_template_kwargs }),
        })
        const text = await response.text()
        if (!response.ok) return { status: response.status, body: text }
        const { prompt } = JSON.parse(text) as { prompt: string }
        return prompt
      },
    })
    const followers = run.requests - 1 - run.compactions
    const share = ((1 - run.broken.length / followers) * 100).toFixed(1)
    const atTurns = run.broken.every((index) => run.turnStarts.includes(index))
    const outcomes = [...new Set(run.outcomes)].join()
    console.log(
      [
        file,
        `${share} %`,
        `${run.requests} requests, ${run.compactions} compactions, ${run.broken.length} broken`,
        // A template that ends the last message differently loses a few characters, not the prompt.
        `lost: ${run.lost.filter((count) => count > 200).length} times more than 200 characters, at most ${Math.max(0, ...run.lost)}`,
        run.broken.length === 0 ? '' : atTurns ? 'only at messages of the user' : 'within turns',
        outcomes,
        run.firstBreak ?? '',
      ].join('\t'),
    )
  } catch (error) {
    console.log(`${file}\tFAILS: ${String(error)}`)
  } finally {
    running.process.kill()
    if (running.process.exitCode === null) await once(running.process, 'exit')
  }
}
