import type { ModelChoice } from '../../shared/conversation.ts'
import { isAbort } from '../../shared/errors.ts'
import { ModelError, type ChatMessage } from '../model/clients/modelClient.ts'
import type { AgentDeps } from './agentDeps.ts'
import { log } from '../base/log/log.ts'

/** Gives conversations a better title than their first line, with the user's small model. */
export interface Titles {
  /** Asks for a title; `named` is told of a good one. A conversation without a small model keeps its first line. */
  ask(id: string, message: string, answer: string, named: (title: string) => void): void
  /** Gives up one question, or all; resolves when nothing is asked any more. */
  stop(id?: string): Promise<void>
}

/** A small model on a machine that is busy may be slow, but a title nobody waits for is not worth more. Milliseconds. */
const patienceMs = 60_000
/** Of message and answer each: enough to know what it is about. Characters. */
const excerpt = 1500
/** Asked in plain words: models of 1B know no more. */
const question = 'Write a title of 3 to 6 words for this conversation, in its language. Answer with the title alone.'

export function createTitles(deps: Pick<AgentDeps, 'settings' | 'model'>): Titles {
  const asking = new Map<string, { controller: AbortController; ended: Promise<void> }>()

  const suggest = async (
    choice: ModelChoice,
    message: string,
    answer: string,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const { client } = await deps.model(choice, signal)
    const messages: ChatMessage[] = [
      {
        role: 'user',
        content: `${question}\n\nUser: ${message.slice(0, excerpt)}\n\nAssistant: ${answer.slice(0, excerpt)}`,
      },
    ]
    let text = ''
    for await (const event of client.stream({ model: choice.model, messages, tools: [], temperature: 0, signal })) {
      if (event.kind === 'text') text += event.text
      // One that writes on and on writes no title.
      if (text.length > 2 * excerpt) return undefined
    }
    return cleanTitle(text)
  }

  return {
    ask(id, message, answer, named) {
      const choice = deps.settings().smallModel
      if (!choice || asking.has(id)) return
      const controller = new AbortController()
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(patienceMs)])
      const ended = suggest(choice, message, answer, signal)
        .then((title) => {
          if (title && !controller.signal.aborted) named(title)
        })
        .catch((error: unknown) => {
          // A title is an ornament: without one the first line stays, and nobody is bothered. Anything unforeseen is a bug, and logged.
          if (!(error instanceof ModelError) && !isAbort(error) && !signal.aborted)
            log.error('Naming a conversation failed', error)
        })
        .finally(() => asking.delete(id))
      asking.set(id, { controller, ended })
    },
    async stop(id) {
      const stopped = [...asking].filter(([each]) => id === undefined || each === id).map(([, entry]) => entry)
      for (const { controller } of stopped) controller.abort()
      await Promise.all(stopped.map(({ ended }) => ended))
    },
  }
}

/** The title in what a small model wrote: its first line without quotes, labels and marks; undefined where that is none. */
export function cleanTitle(text: string): string | undefined {
  // No title is as long, and the expressions take square time.
  const line = (text.trim().split('\n')[0] ?? '').slice(0, 500)
  const title = line
    .replace(/^[#*\s>-]+/, '')
    .replace(/^title\s*:[*\s]*/i, '')
    .replace(/^["'“”«»*_`]+|["'“”«»*_`.\s]+$/g, '')
    // Characters that steer a terminal or a reader's eye have no place in a list.
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  return title.length >= 3 && title.length <= 80 ? title : undefined
}
