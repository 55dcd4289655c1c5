import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import { isAbort } from '../../shared/errors.ts'
import { ModelError, type ChatMessage } from '../model/modelClient.ts'
import { parseObject } from '../model/clients/validHistory.ts'
import type { AgentDeps } from './agentDeps.ts'
import { collectShortAnswer } from './shortAnswer.ts'
import { log } from '../base/log/log.ts'

/** Generates conversation titles with the small model. */
export interface Titles {
  /** Generates a title if a small model is configured. Calls `onTitle` only with a usable one. */
  generate(id: string, message: string, answer: string, onTitle: (title: string) => void): void
  /** Cancels one title, or all. Resolves when no request is running. */
  stop(id?: string): Promise<void>
}

/** In milliseconds. Long, because nobody waits for a title. */
const timeoutMs = 60_000
/** Maximum characters of the message, and of the answer, in the prompt. */
const maxExcerpt = 1500
/** Simple enough for models with 1B parameters. */
const prompt = 'Write a title of 3 to 6 words for this conversation, in its language. Answer with the title alone.'

/** Schema of the answer, for servers that enforce one. */
export const answerSchema: JsonSchema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
}

export function createTitles(deps: Pick<AgentDeps, 'settings' | 'model'>): Titles {
  const running = new Map<string, { controller: AbortController; ended: Promise<void> }>()

  const suggest = async (
    choice: ModelChoice,
    message: string,
    answer: string,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const { client, contextWindow } = await deps.model(choice, signal)
    const messages: ChatMessage[] = [
      {
        role: 'user',
        content: `${prompt}\n\nUser: ${message.slice(0, maxExcerpt)}\n\nAssistant: ${answer.slice(0, maxExcerpt)}`,
      },
    ]
    const request = { model: choice.model, messages, tools: [], temperature: 0, contextWindow, answerSchema, signal }
    const events = client.stream({ ...request, isAside: true, urgency: 'background' })
    // An answer of this length is not a title.
    const text = await collectShortAnswer(events, 2 * maxExcerpt)
    return text === undefined ? undefined : cleanTitle(titleIn(text))
  }

  return {
    generate(id, message, answer, onTitle) {
      const choice = deps.settings().smallModel
      if (!choice || running.has(id)) return
      const controller = new AbortController()
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(timeoutMs)])
      const ended = suggest(choice, message, answer, signal)
        .then((title) => {
          if (title && !controller.signal.aborted) onTitle(title)
        })
        .catch((error: unknown) => {
          // Without a new title, the first line of the message remains, so a failed request is not reported. Other
          // errors are bugs.
          if (!(error instanceof ModelError) && !isAbort(error) && !signal.aborted)
            log.error('Naming a conversation failed', error)
        })
        .finally(() => running.delete(id))
      running.set(id, { controller, ended })
    },
    async stop(id) {
      const stopped = [...running].filter(([each]) => id === undefined || each === id).map(([, entry]) => entry)
      for (const { controller } of stopped) controller.abort()
      await Promise.all(stopped.map(({ ended }) => ended))
    },
  }
}

/** Returns the title in an answer that follows `answerSchema`, or any other answer unchanged. */
function titleIn(text: string): string {
  const title = parseObject(text)?.['title']
  return typeof title === 'string' ? title : text
}

/**
 * Extracts the title from a model's answer: the first line without quotes, labels and Markdown. Undefined if unusable.
 */
export function cleanTitle(text: string): string | undefined {
  // Bounded, because the regular expressions below take quadratic time.
  const line = (text.trim().split('\n')[0] ?? '').slice(0, 500)
  const title = line
    .replace(/^[#*\s>-]+/, '')
    .replace(/^title\s*:[*\s]*/i, '')
    .replace(/^["'“”«»*_`]+|["'“”«»*_`.\s]+$/g, '')
    // Control and format characters.
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  return title.length >= 3 && title.length <= 80 ? title : undefined
}
