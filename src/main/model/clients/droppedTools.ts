import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'
import type { HttpTimeouts } from '../transport/progressWatch.ts'
import { isRecord, type RequestTarget } from '../transport/modelErrors.ts'
import { parseServerJson } from '../transport/serverJson.ts'
import { tokenCount } from './modelListing.ts'
import { ModelError } from '../modelClient.ts'

// Some servers accept the tools of a request but leave them out of the prompt: llama-cpp-python's server always,
// llama-server for templates without tools, LiteLLM in front of both. The reported prompt size shows it.

interface ToolsQuery {
  /** The server's root. */
  root: string
  model: string
  connection: ConnectionOptions
  timeouts: HttpTimeouts
  target: RequestTarget
  signal: AbortSignal
}

/** About 200 tokens. No template formats it in only a few. */
const parameters: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(
    ['street', 'city', 'postcode', 'country', 'telephone', 'nickname'].map((name) => [
      name,
      { type: 'string', description: `The ${name} of the person in the directory, exactly as it is written there.` },
    ]),
  ),
}
const tool = {
  type: 'function',
  function: { name: 'find_person', description: 'Finds a person in a directory.', parameters },
}
/** The tool takes more tokens in every format, and two counts of one prompt differ by less. */
const minTokens = 50

/**
 * Finds out with two short requests whether an OpenAI-compatible server leaves tools out of the prompt.
 * @returns whether they are dropped; undefined if the server does not report the size of a prompt
 * @throws AbortError
 */
export async function dropsTools(query: ToolsQuery): Promise<boolean | undefined> {
  // In this order, the second request may reuse the cached prompt of the first.
  const without = await promptTokens(query, {})
  const withTool = without === undefined ? undefined : await promptTokens(query, { tools: [tool] })
  return without === undefined || withTool === undefined ? undefined : withTool - without < minTokens
}

/** @returns undefined if the request fails or has no count */
async function promptTokens(query: ToolsQuery, fields: object): Promise<number | undefined> {
  const { root, model, connection, timeouts, target, signal } = query
  const messages = [{ role: 'user', content: 'Hello.' }]
  try {
    const answer = await sendRequest({
      method: 'POST',
      url: `${root}/v1/chat/completions`,
      connection,
      body: { model, messages, ...fields, max_tokens: 1, stream: false },
      signal,
      timeouts,
      target,
    })
    const text = await readText(answer, target)
    if (answer.status !== 200) return undefined
    const body: unknown = parseServerJson(text)
    const usage = isRecord(body) ? body['usage'] : undefined
    return isRecord(usage) ? tokenCount(usage['prompt_tokens']) : undefined
  } catch (error) {
    if (error instanceof ModelError || error instanceof SyntaxError) return undefined
    throw error
  }
}
