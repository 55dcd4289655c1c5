import { ModelError, type ChatMessage, type ModelClient, type ModelEvent } from '../../model/client.ts'

/** How often a request is made smaller when the server refuses it as too long. */
const attempts = 3

/**
 * A client whose requests are made smaller and sent again when the server refuses them as too long, as servers do whose window nobody
 * told.
 * @param smaller told what the server said; gives the messages to send instead
 */
export function fittingClient(client: ModelClient, smaller: (said: string) => Promise<ChatMessage[]>): ModelClient {
  return {
    models: (signal) => client.models(signal),
    async *stream(request): AsyncGenerator<ModelEvent> {
      let { messages } = request
      for (let attempt = 0; ; attempt++) {
        let begun = false
        try {
          for await (const event of client.stream({ ...request, messages })) {
            begun ||= event.kind !== 'status'
            yield event
          }
          return
        } catch (error) {
          if (begun || attempt >= attempts || !(error instanceof ModelError) || error.code !== 'context_exceeded') throw error
          messages = await smaller(error.message)
        }
      }
    },
  }
}
