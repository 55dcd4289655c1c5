import { z } from 'zod'
import type { ModelCheck } from '../../../shared/models/firstSteps.ts'
import { parseObject } from '../clients/validHistory.ts'
import { ModelError, type ChatRequest, type ChatTool, type ModelClient } from '../modelClient.ts'

/** Time limit of a check in milliseconds. A large model on a slow disk takes minutes to load. */
const checkTimeoutMs = 300_000
/** A call takes about 50 tokens. A thinking model needs more, and a small one that never ends must not run on. */
const maxTokens = 2000
const maxGuidedTokens = 100

const reader: ChatTool = {
  name: 'read_file',
  description: 'Reads a file and returns its text.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Path of the file' } },
    required: ['path'],
  },
}

/** What a guided turn lets a model write. */
const step = z.object({ action: z.enum(['read', 'search']), path: z.string() })
/** What it has to write: the file of the question. A schema makes any model write some path. */
const wantedStep = step.extend({ path: z.string().regex(/^(?:\.?\/)?notes\.txt$/) })

/**
 * Checks whether a model calls a tool for a question that it cannot answer without one, about the content of a file.
 * Nothing is read. The first call ends the check. A model of guided turns gets no tool, but fills in an object.
 * @throws ModelError `timeout` after `checkTimeoutMs`, and whatever the client throws; AbortError
 */
export async function checkModel(
  { client, contextWindow, guided }: { client: ModelClient; contextWindow?: number; guided?: unknown },
  model: string,
  signal: AbortSignal,
): Promise<ModelCheck> {
  const started = performance.now()
  const limit = AbortSignal.timeout(checkTimeoutMs)
  let firstAnswerMs: number | undefined
  let calls: ModelCheck['calls'] = 'none'
  let asText = false
  let hint: string | undefined
  let text = ''
  let isCut = false
  const way: Pick<ChatRequest, 'tools'> & Partial<ChatRequest> = guided
    ? { tools: [], answerSchema: z.toJSONSchema(step), maxTokens: maxGuidedTokens, thinking: 'off' }
    : { tools: [reader], maxTokens }
  try {
    for await (const event of client.stream({
      model,
      messages: [
        {
          role: 'system',
          content: guided
            ? 'You answer questions about files. Choose what to do first, as JSON.'
            : 'You answer questions about files. Use the tools to read them.',
        },
        { role: 'user', content: 'What is the first line of notes.txt?' },
      ],
      ...way,
      temperature: 0,
      ...(contextWindow !== undefined && { contextWindow }),
      isAside: true,
      urgency: 'person',
      signal: AbortSignal.any([signal, limit]),
    })) {
      if (event.kind === 'toolsAsText') {
        asText = true
        // A guided turn needs no tools.
        if (!guided) hint = event.hint
      }
      if (['text', 'reasoning', 'callStarted', 'call'].includes(event.kind))
        firstAnswerMs ??= performance.now() - started
      if (event.kind === 'text') text += event.text
      if (event.kind === 'discarded') text = ''
      if (event.kind === 'finish') isCut = event.reason === 'length'
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
  if (guided && wantedStep.safeParse(parseObject(text)).success) calls = 'guided'
  if (calls === 'none' && isCut) calls = 'cut'
  const totalMs = performance.now() - started
  return {
    calls,
    firstAnswerMs: Math.round(firstAnswerMs ?? totalMs),
    totalMs: Math.round(totalMs),
    ...(hint !== undefined && { hint }),
    ...(contextWindow !== undefined && { contextWindow }),
  }
}
