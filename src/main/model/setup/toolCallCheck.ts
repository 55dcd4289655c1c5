import type { ModelCheck } from '../../../shared/models/firstSteps.ts'
import { ModelError, type ChatTool, type ModelClient } from '../modelClient.ts'

/** Time limit of a check in milliseconds. A large model on a slow disk takes minutes to load. */
const checkTimeoutMs = 300_000

const reader: ChatTool = {
  name: 'read_file',
  description: 'Reads a file and returns its text.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Path of the file' } },
    required: ['path'],
  },
}

/**
 * Checks whether a model calls a tool for a question that it cannot answer without one, about the content of a file.
 * Nothing is read. The first call ends the check.
 * @throws ModelError `timeout` after `checkTimeoutMs`, and whatever the client throws; AbortError
 */
export async function checkModel(
  { client, contextWindow }: { client: ModelClient; contextWindow?: number },
  model: string,
  signal: AbortSignal,
): Promise<ModelCheck> {
  const started = performance.now()
  const limit = AbortSignal.timeout(checkTimeoutMs)
  let firstAnswerMs: number | undefined
  let calls: ModelCheck['calls'] = 'none'
  let asText = false
  try {
    for await (const event of client.stream({
      model,
      messages: [
        { role: 'system', content: 'You answer questions about files. Use the tools to read them.' },
        { role: 'user', content: 'What is the first line of notes.txt?' },
      ],
      tools: [reader],
      temperature: 0,
      ...(contextWindow !== undefined && { contextWindow }),
      isAside: true,
      urgency: 'person',
      signal: AbortSignal.any([signal, limit]),
    })) {
      if (event.kind === 'toolsAsText') asText = true
      if (['text', 'reasoning', 'callStarted', 'call'].includes(event.kind))
        firstAnswerMs ??= performance.now() - started
      if (event.kind !== 'call' || event.call.name !== reader.name) continue
      calls = asText || event.writtenAs !== undefined ? 'text' : 'native'
      break
    }
  } catch (error) {
    if (limit.aborted && !signal.aborted)
      throw new ModelError(
        'timeout',
        `${model} did not finish a short answer in ${checkTimeoutMs / 60_000} minutes.`,
        'Choose a smaller model, or check the log of its server.',
      )
    throw error
  }
  const totalMs = performance.now() - started
  return {
    calls,
    firstAnswerMs: Math.round(firstAnswerMs ?? totalMs),
    totalMs: Math.round(totalMs),
    ...(contextWindow !== undefined && { contextWindow }),
  }
}
