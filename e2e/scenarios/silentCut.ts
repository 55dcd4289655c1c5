import { answer, call, say, type Reply, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/** Reported and real context size of the server, in tokens. */
const reportedSize = 32_768
const realSize = 4096

/**
 * A server that reports a large context size but uses a small one. It silently truncates longer requests at the front,
 * answers with HTTP 200, and counts only the remaining tokens, so that only `chatCompletion.usage` reveals it.
 */
export const silentCut: Scenario = {
  name: 'silent-cut',
  contextWindow: reportedSize,
  turns: [],
  respond({ messages, body }): Reply {
    const prompt = Math.ceil(JSON.stringify(body).length / 4)
    const usage = { promptTokens: Math.min(prompt, realSize), completionTokens: 20 }
    const last = messages.at(-1)
    if (last?.role === 'user' && /read/i.test(last.content))
      return { ...answer(call('read_file', { path: 'long.txt' })), usage }
    return { ...answer(say(last?.role === 'tool' ? 'I have read it.' : 'Hello again.')), usage }
  },
}
