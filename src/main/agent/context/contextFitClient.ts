import type { ContextUse } from '../../../shared/contextUse.ts'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../../model/clients/modelClient.ts'

/** The server refused the request as too long, and a smaller one is sent. */
export interface Refitted {
  kind: 'refitted'
  use: ContextUse
  /** What happened, for the user. */
  text: string
}

/** A request that replaces a refused one. */
export interface SmallerRequest extends Pick<ChatRequest, 'messages' | 'tools'>, Pick<Refitted, 'use' | 'text'> {}

/** What a turn needs of a client. */
export interface TurnClient {
  stream(request: ChatRequest): AsyncIterable<ModelEvent | Refitted>
}

/** How often a request is made smaller when the server refuses it as too long. */
const attempts = 4

/**
 * A client that makes a request smaller and sends it again when the server refuses it as too long. Servers that do not list their
 * model's context size say it this way.
 * @param smaller receives the refusal; throws where no smaller request is possible
 */
export function fittingClient(
  client: ModelClient,
  smaller: (refusal: ModelError) => Promise<SmallerRequest>,
): TurnClient {
  return {
    async *stream(request) {
      let current = request
      for (let attempt = 0; ; attempt++) {
        let begun = false
        try {
          for await (const event of client.stream(current)) {
            begun ||= event.kind !== 'status'
            yield event
          }
          return
        } catch (error) {
          if (begun || attempt >= attempts || !(error instanceof ModelError) || error.code !== 'context_exceeded')
            throw error
          const { messages, tools, use, text } = await smaller(error)
          current = { ...current, messages, tools }
          yield { kind: 'refitted', use, text }
        }
      }
    },
  }
}
