// Sends Tizona's requests to a real llama-server: the schemas of all toolsets in all prompt profiles, which llama-server
// compiles into a grammar, the schemas of answers, schemas of hostile MCP servers, and a history with calls, results,
// errors and a picture, with each chat template of a folder. A development tool, not part of `npm test`. You provide the server and a model; a tiny model
// with random weights suffices.
//
//   node bench/llama-server.ts --server PATH_OF_llama-server --model MODEL.gguf \
//     --templates FOLDER [--only NAME] [--quick] [--whole]
//
// --only   templates whose file name contains NAME
// --quick  skips the schemas of MCP servers
// --whole  sends unreduced schemas, to see which ones the server refuses
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startLlamaServer } from './llamaServer.ts'
import { bladeToolset } from '../src/main/tools/blade/bladeToolset.ts'
import { offeredTools } from '../src/main/tools/promptTools.ts'
import { rustantToolset } from '../src/main/tools/rustant/rustantToolset.ts'
import { rustyToolset } from '../src/main/tools/rusty/rustyToolset.ts'
import { parametersSchema, textPrompt } from '../src/main/tools/schema/toolSchema.ts'
import { tizonaTools } from '../src/main/tools/tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from '../src/main/tools/ultrasushitron/ultraSushiTronToolset.ts'
import { ModelError, type ChatMessage, type ChatTool } from '../src/main/model/modelClient.ts'
import { createOpenAiClient } from '../src/main/model/clients/openAiClient.ts'
import { createCompatStore, type CompatStore } from '../src/main/model/clients/compatStore.ts'
import { hostileSchemas } from '../src/main/testing/hostileSchemas.ts'
import { grammarSafeSchema } from '../src/main/tools/schema/grammarSafe.ts'
import { answerSchema as commitSchema } from '../src/main/agent/commitDraft.ts'
import { answerSchema as titleSchema } from '../src/main/agent/titles.ts'
import { answerSchema as investigationSchema } from '../src/main/tools/blade/investigation/investigationPrompt.ts'
import { promptProfiles } from '../src/shared/agent/promptProfile.ts'
import type { JsonSchema } from '../src/shared/tools/tool.ts'

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    model: { type: 'string' },
    templates: { type: 'string' },
    only: { type: 'string', default: '' },
    whole: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
})
const { server, model, templates, only, whole, quick } = values
if (!server || !model || !templates) throw new Error('--server, --model and --templates are required.')

const requestMs = 300_000
const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]

const user = (content: string): ChatMessage => ({ role: 'user', content })
const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) })
/** A history after a turn: two parallel calls with results, an error, an answer, and another message. */
const history: ChatMessage[] = [
  { role: 'system', content: 'You are a coding assistant.' },
  user('What does main.ts do?'),
  {
    role: 'assistant',
    content: 'I look.',
    toolCalls: [call('c1', 'read_file', { path: 'main.ts' }), call('c2', 'read_file', { path: 'gone.ts' })],
  },
  { role: 'tool', callId: 'c1', name: 'read_file', content: 'export const answer = 42' },
  { role: 'tool', callId: 'c2', name: 'read_file', content: 'Error (not_found): gone.ts does not exist.' },
  { role: 'assistant', content: '', toolCalls: [call('c3', 'list_dir', {})] },
  { role: 'tool', callId: 'c3', name: 'list_dir', content: 'main.ts' },
  { role: 'assistant', content: 'It exports 42.' },
  user('Thank you. And now?'),
]
const question = history.slice(0, 2)
const answerSchemas = { title: titleSchema, commit: commitSchema, investigation: investigationSchema }
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const picture: ChatMessage[] = [
  {
    role: 'user',
    content: 'What is this?',
    images: [{ id: 'p', label: 'Picture 1', mimeType: 'image/png', data: pixel }],
  },
]

/** Sends a request. @returns its outcome, and the request form that the server accepted */
async function ask(
  baseUrl: string,
  messages: ChatMessage[],
  tools: ChatTool[],
  { forms = createCompatStore(), answerSchema }: { forms?: CompatStore; answerSchema?: JsonSchema } = {},
): Promise<string> {
  const client = createOpenAiClient({
    name: 'llama-server',
    baseUrl,
    compatStore: forms,
    textPrompt,
    server: 'llamacpp',
    optionsOf: () => ({ maxTokens: 4 }),
  })
  try {
    for await (const event of client.stream({
      model: 'm',
      messages,
      tools,
      temperature: 0,
      ...(answerSchema && { answerSchema }),
      signal: AbortSignal.timeout(requestMs),
    }))
      void event
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    // A model with random weights writes no valid calls, so an accepted request counts as a success.
    const taken =
      error.code === 'cut_off' ||
      error.code === 'bad_response' ||
      /model produced output that does not match/.test(error.message)
    if (!taken) return `FAILS ${error.code}: ${error.message.replaceAll('\n', ' ').slice(0, 300)}`
  }
  const form = forms.get(baseUrl, 'm')
  return form ? `ok as ${JSON.stringify(form)}` : 'ok'
}

/** Requires a call, so that the whole answer follows the grammar. @returns whether the server compiled it */
async function requireCall(baseUrl: string, tools: ChatTool[]): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: question,
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
      tool_choice: 'required',
      temperature: 0,
      max_tokens: 32,
    }),
    signal: AbortSignal.timeout(requestMs),
  })
  const text = await response.text()
  // Random weights rarely end a string, so the answer is truncated and cannot be parsed.
  const compiled = response.ok || /(?:Failed to parse|Unexpected|parse error)/.test(text)
  if (!compiled) return `FAILS ${response.status}: ${text.slice(0, 300)}`
  const name = /"name":"([^"]+)"/.exec(text)?.[1]
  return name === undefined ? 'ok' : `ok, calls ${name}`
}

const wholeTools = (tools: readonly Parameters<typeof parametersSchema>[0][]): ChatTool[] =>
  tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: parametersSchema(tool) }))

let first = !quick
for (const file of (await readdir(templates))
  .filter((name) => name.endsWith('.jinja') && name.includes(only))
  .toSorted()) {
  try {
    const running = await startLlamaServer(server, model, join(templates, file))
    try {
      const tools = toolsets.flatMap((toolset) => {
        const all = [...toolset.tools, ...tizonaTools]
        return whole
          ? [{ name: `${toolset.name}, whole`, offered: wholeTools(all) }]
          : promptProfiles.map((profile) => ({
              name: `${toolset.name}, ${profile}`,
              offered: offeredTools(toolset, all, profile),
            }))
      })
      for (const { name, offered } of tools) {
        console.log(`${file}\t${name}\t${await ask(running.baseUrl, question, offered)}`)
        console.log(`${file}\t${name}, a call required\t${await requireCall(running.baseUrl, offered)}`)
      }
      for (const [name, answerSchema] of Object.entries(answerSchemas))
        console.log(`${file}\tanswer: ${name}\t${await ask(running.baseUrl, question, [], { answerSchema })}`)
      const blade = tools[0]?.offered ?? []
      console.log(`${file}\thistory\t${await ask(running.baseUrl, history, blade)}`)
      console.log(`${file}\tpicture\t${await ask(running.baseUrl, picture, [])}`)
      // The grammar does not depend on the template.
      for (const [what, schema] of first ? hostileSchemas : []) {
        const parameters = whole ? schema : grammarSafeSchema(schema)
        const said = await ask(
          running.baseUrl,
          [user('Hello.')],
          [{ name: 'probe', description: 'Probes.', parameters }],
        )
        console.log(`${file}\tMCP: ${what}\t${said}`)
      }
      first = false
    } finally {
      running.process.kill()
      if (running.process.exitCode === null) await once(running.process, 'exit')
    }
  } catch (error) {
    console.log(`${file}\tserver\tFAILS: ${String(error)}`)
  }
}
