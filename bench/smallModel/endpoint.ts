import type { ChatMessage } from '../../src/main/model/modelClient.ts'
import {
  answer,
  say,
  type ScriptedChatRequest,
  type Reply,
  type ReplyPart,
} from '../../src/main/model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../src/main/model/scripted/scriptedEndpoint.ts'
import type { CallFormat } from './callFormats.ts'
import { nextIntent, type Intent } from './nextIntent.ts'
import type { SmallModel } from './models.ts'

/** Statistics of one request. */
export interface Counted {
  /** Number of sent tokens, before truncation. */
  sent: number
  /** The request as JSON, to compare its prefix with the previous one. */
  messages: string[]
  tools: string
}

/** Counts tokens as 3.5 characters each. */
const tokens = (text: string): number => Math.ceil(text.length / 3.5)

/** Serves a scripted model over HTTP. @returns the endpoint, and statistics of its requests in `counted` */
export async function serveModel(model: SmallModel): Promise<{ endpoint: ScriptedEndpoint; counted: Counted[] }> {
  const counted: Counted[] = []
  const endpoint = await startScriptedEndpoint({
    name: model.id,
    model: model.id,
    contextWindow: model.window,
    turns: [],
    respond(request) {
      if (model.refusesTools && request.tools.length > 0) {
        return {
          status: 400,
          body: JSON.stringify({ error: { message: `registry.ollama.ai/library/${model.id} does not support tools` } }),
        }
      }
      const tools = JSON.stringify(request.body['tools'] ?? [])
      const seen = { messages: request.messages.map((message) => JSON.stringify(message)), tools }
      counted.push({ ...seen, sent: tokens(tools) + seen.messages.reduce((sum, message) => sum + tokens(message), 0) })
      return reply(model, request, tokens(tools))
    },
  })
  return { endpoint, counted }
}

function reply(
  { format, defect, window, cutsSilently }: SmallModel,
  { messages }: ScriptedChatRequest,
  forTools: number,
): Reply {
  const sent = forTools + sizeOf(messages)
  if (!cutsSilently && sent > window) return tooLong(sent, window)
  const kept = cutFromTheFront(messages, window - forTools)
  const meant = nextIntent(kept)
  const intent = defect ? defect(meant, kept) : meant
  const parts = partsOf(intent, format)
  const promptTokens = forTools + sizeOf(kept)
  return { ...answer(...parts), usage: { promptTokens, completionTokens: 40 } }
}

function partsOf(intent: Intent, format: CallFormat): ReplyPart[] {
  if (intent.kind === 'say') return [say(intent.text)]
  return (intent.kind === 'calls' ? intent.calls : [intent]).flatMap(({ name, args }) => format(name, args))
}

const sizeOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + tokens(JSON.stringify(message)), 0)

/** Refuses a prompt as llama-server does. */
function tooLong(sent: number, window: number): Reply {
  const message = `the request exceeds the available context size. try increasing the context size or enable context shift`
  return {
    status: 400,
    body: JSON.stringify({
      error: { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: sent, n_ctx: window },
    }),
  }
}

/** Truncates like a server with a full context: drops the oldest messages and still responds with HTTP 200. */
function cutFromTheFront(messages: readonly ChatMessage[], room: number): readonly ChatMessage[] {
  let sum = 0
  const first = messages.findLastIndex((message) => (sum += tokens(JSON.stringify(message))) > room)
  return messages.slice(first + 1)
}
