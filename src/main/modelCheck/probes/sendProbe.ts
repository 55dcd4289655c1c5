import type { Usage } from '../../../shared/agent/conversation.ts'
import { createRepetitionDetector } from '../../agent/guards/answerRepetition.ts'
import type { ChatMessage, ChatTool, ModelClient, ModelEvent } from '../../model/modelClient.ts'

/** Sends one request to the model under test. @throws ModelError, AbortError */
export type SendProbe = (messages: ChatMessage[], options?: ProbeOptions) => Promise<Answer>

interface ProbeOptions {
  tools?: ChatTool[]
  /** Return what arrived before the time limit, if anything did, instead of failing. */
  acceptIncomplete?: boolean
  /** Default: enough for a thinking model. */
  maxTokens?: number
}

/** One answer of the model under test. */
export interface Answer {
  text: string
  reasoning: string
  calls: { name: string; writtenAs?: string }[]
  /** Absent if the answer was stopped early. */
  usage?: Usage
  /** Milliseconds until the first token, and until the end. */
  firstTokenMs: number
  ms: number
  /** Why the prompt describes the tools. Absent: they are sent to the server. */
  toolsAsText?: Extract<ModelEvent, { kind: 'toolsAsText' }>['why']
  /** The answer was stopped because it repeated itself or was far too long. */
  endless?: true
  /** The time limit ended the answer. */
  incomplete?: true
}

/** Maximum characters of an answer. Probes need a few words, and reasoning models a few pages before them. */
const maxLengths = { text: 1500, reasoning: 40_000 }

/** Enough for a thinking model. */
const defaultMaxTokens = 4096

/** Creates the function that sends the requests of the probes. Each request has its own time limit. */
export function createProbeSender(
  { client, contextWindow }: { client: ModelClient; contextWindow?: number },
  model: string,
  { limitMs, signal, onFirstToken }: { limitMs: number; signal: AbortSignal; onFirstToken?: () => void },
): SendProbe {
  return async (messages, { tools = [], acceptIncomplete = false, maxTokens = defaultMaxTokens } = {}) => {
    const limit = AbortSignal.timeout(limitMs)
    const started = performance.now()
    const answer: Answer = {
      text: '',
      reasoning: '',
      calls: [],
      firstTokenMs: 0,
      ms: 0,
    }
    const first = (): void => {
      if (answer.firstTokenMs > 0) return
      answer.firstTokenMs = performance.now() - started
      onFirstToken?.()
    }
    const repetition = { text: createRepetitionDetector(), reasoning: createRepetitionDetector() }
    const receive = async (): Promise<void> => {
      for await (const event of client.stream({
        model,
        messages,
        tools,
        temperature: 0,
        isAside: true,
        maxTokens,
        ...(contextWindow !== undefined && { contextWindow }),
        signal: AbortSignal.any([signal, limit]),
      })) {
        if (event.kind === 'text' || event.kind === 'reasoning') {
          first()
          answer[event.kind] += event.text
          if (repetition[event.kind].push(event.text) || answer[event.kind].length > maxLengths[event.kind])
            answer.endless = true
        } else if (event.kind === 'wasReasoning') {
          answer.reasoning += answer.text
          answer.text = ''
        } else if (event.kind === 'callStarted') first()
        else if (event.kind === 'call') {
          first()
          answer.calls.push({
            name: event.call.name,
            ...(event.writtenAs !== undefined && { writtenAs: event.writtenAs }),
          })
        } else if (event.kind === 'discarded') {
          answer.text = ''
          answer.reasoning = ''
          answer.calls.length = 0
        } else if (event.kind === 'toolsAsText') answer.toolsAsText = event.why
        else if (event.kind === 'usage') answer.usage = event.usage
        // Leaving the loop closes the connection, so that the server stops too.
        if (answer.endless) break
      }
    }
    try {
      await receive()
    } catch (error) {
      if (!acceptIncomplete || !limit.aborted || signal.aborted || answer.firstTokenMs === 0) throw error
      answer.incomplete = true
    }
    answer.ms = performance.now() - started
    return answer
  }
}
