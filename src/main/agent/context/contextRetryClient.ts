import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../../model/modelClient.ts'

/** The server rejected the request as too long, and a smaller one is being sent. */
export interface ContextRetryEvent {
  kind: 'refitted'
  use: ContextUse
  /** Explanation for the user. */
  text: string
}

/** A request that replaces a rejected one. */
export interface SmallerRequest
  extends Pick<ChatRequest, 'messages' | 'tools'>, Pick<ContextRetryEvent, 'use' | 'text'> {}

/** The subset of a model client that a turn uses. */
export interface TurnClient {
  stream(request: ChatRequest): AsyncIterable<ModelEvent | ContextRetryEvent>
}

/** Maximum number of smaller requests. */
const maxRetries = 4

/**
 * Wraps a client so that it sends a smaller request if the server rejects one as too long. Some servers report their
 * context size only in this way.
 * @param smaller creates the smaller request after `refused`; throws if none is possible
 * @param refused makes later requests smaller; also called after a prompt that the server truncated
 */
export function createContextRetryClient(
  client: ModelClient,
  smaller: (refusal: ModelError) => Promise<SmallerRequest>,
  refused: (refusal: ModelError) => void,
): TurnClient {
  return {
    async *stream(request) {
      let current = request
      for (let attempt = 0; ; attempt++) {
        let begun = false
        try {
          for await (const event of client.stream(current)) {
            if (event.kind === 'promptCut' && event.window !== undefined)
              refused(new ModelError('context_exceeded', event.text, '', { excess: { window: event.window } }))
            begun = event.kind !== 'discarded' && (begun || event.kind !== 'status')
            yield event
          }
          return
        } catch (error) {
          if (begun || attempt >= maxRetries || !(error instanceof ModelError) || error.code !== 'context_exceeded')
            throw error
          refused(error)
          const { messages, tools, use, text } = await smaller(error)
          current = { ...current, messages, tools }
          yield { kind: 'refitted', use, text }
        }
      }
    },
  }
}
