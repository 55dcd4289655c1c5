import { getEncoding } from 'js-tiktoken'
import {
  answer,
  call,
  say,
  type ScriptedChatRequest,
  type Reply,
  type Scenario,
} from '../../src/main/model/scripted/scenario.ts'

/** Context size of this model in tokens. */
const window = 8192
const logs = 16
const tokenizer = getEncoding('cl100k_base')

/** Returns the stamp of a log, which cannot be guessed. */
const stamp = (log: number): string => `K${(log * 7919).toString(36)}`

/** Ship's logs of twice the context size in total, each with a stamp near its beginning. */
export const shipLogs: Record<string, string> = Object.fromEntries(
  Array.from({ length: logs }, (_, index) => [
    `logs/log-${index + 1}.txt`,
    [
      `# Log ${index + 1}`,
      '',
      `LOG ${index + 1} STAMP ${stamp(index + 1)}`,
      '',
      ...Array.from(
        { length: 70 },
        (_, line) => `Line ${line + 1} of log ${index + 1} speaks of ships, tides and ropes.`,
      ),
    ].join('\n'),
  ]),
)

/** Expected content of the file at the end. */
export const stampsFile = [
  'Harbour 7',
  ...Array.from({ length: logs }, (_, index) => `${index + 1} ${stamp(index + 1)}`),
  '',
].join('\n')

/**
 * A model with a context of 8,192 tokens that copies the stamps of all logs to one file. It knows only the content of
 * the request: the stamps in it, and the first line that the user requested at the beginning. Longer prompts are
 * refused.
 */
export const longTask: Scenario = { name: 'long-task', contextWindow: window, turns: [], respond }

function respond(request: ScriptedChatRequest): Reply {
  const { messages, tools, body } = request
  const texts = messages.map(
    (message) =>
      message.content + (message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : ''),
  )
  const tokens =
    tokenizer.encode(texts.join('\n') + (tools.length > 0 ? JSON.stringify(body['tools']) : '')).length +
    messages.length * 6
  if (tokens > window) {
    return {
      status: 400,
      body: JSON.stringify({
        error: { message: `the request exceeds the available context size (${window} tokens), it has ${tokens}` },
      }),
    }
  }
  const usage = { promptTokens: tokens, completionTokens: 40 }
  const told = messages
    .slice(1)
    .map(({ content }) => content)
    .join('\n')
  const known = new Map(
    [...told.matchAll(/LOG (\d+) STAMP (\w+)/g)].map((match) => [Number(match[1]), String(match[2])]),
  )
  // The only request without tools is for a summary.
  if (tools.length === 0) {
    const facts = [...known].map(([log, found]) => `LOG ${log} STAMP ${found}`).join('\n')
    return {
      ...answer(
        say(`Task and state: copying the stamps of ${logs} logs, ${known.size} read.\nFacts needed later:\n${facts}`),
      ),
      usage,
    }
  }
  const wrote = messages.some(
    (message) => message.role === 'assistant' && message.toolCalls?.some(({ name }) => name === 'write_file'),
  )
  if (wrote || /^## Files changed\nstamps\.txt$/m.test(told)) return { ...answer(say('All stamps are copied.')), usage }
  const next = Array.from({ length: logs }, (_, index) => index + 1).find((log) => !known.has(log))
  if (next !== undefined) return { ...answer(call('read_file', { path: `logs/log-${next}.txt` })), usage }
  const first = /begin it with the line "([^"]+)"/.exec(told)?.[1] ?? 'The first line is forgotten.'
  const lines = [...known].toSorted(([a], [b]) => a - b).map(([log, found]) => `${log} ${found}`)
  return { ...answer(call('write_file', { path: 'stamps.txt', content: `${[first, ...lines].join('\n')}\n` })), usage }
}
