import { answer, call, say, type Reply, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** What this server says it can hold, and what it really loaded the model with. Tokens. */
const told = 32_768
const real = 4096

/**
 * A server that tells of a large window and loads the model with a small one: what does not fit it cuts off the front, answers with
 * HTTP 200, and counts only what it kept. `chatCompletion.usage` is the only trace.
 */
export const silentCut: Scenario = {
  name: 'silent-cut',
  contextWindow: told,
  turns: [],
  respond({ messages, body }): Reply {
    const prompt = Math.ceil(JSON.stringify(body).length / 4)
    const usage = { promptTokens: Math.min(prompt, real), completionTokens: 20 }
    const last = messages.at(-1)
    if (last?.role === 'user' && /read/i.test(last.content))
      return { ...answer(call('read_file', { path: 'long.txt' })), usage }
    return { ...answer(say(last?.role === 'tool' ? 'I have read it.' : 'Hello again.')), usage }
  },
}
