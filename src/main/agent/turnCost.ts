import type { TurnCost } from '../../shared/agent/conversation.ts'
import type { EnergyMeter } from '../model/energyMeter.ts'
import type { ModelClient } from '../model/modelClient.ts'

/** Adds up what the requests of a turn take. */
export interface CostMeter {
  /** The client, whose requests count. */
  client: ModelClient
  /** Ends the measurement. */
  close(): Promise<TurnCost>
}

/** @param energy absent: the model's server is on another machine */
export function createCostMeter(client: ModelClient, energy?: EnergyMeter): CostMeter {
  const cost = { requests: 0, promptTokens: 0, completionTokens: 0, seconds: 0 }
  let running = 0
  let since = 0

  function begin(): void {
    cost.requests += 1
    running += 1
    if (running > 1) return
    since = performance.now()
    void energy?.resume()
  }

  function end(): void {
    running -= 1
    if (running > 0) return
    cost.seconds += (performance.now() - since) / 1000
    void energy?.pause()
  }

  return {
    client: {
      ...client,
      async *stream(request) {
        begin()
        try {
          for await (const event of client.stream(request)) {
            if (event.kind === 'usage') {
              cost.promptTokens += event.usage.promptTokens
              cost.completionTokens += event.usage.completionTokens
            }
            yield event
          }
        } finally {
          end()
        }
      },
    },
    async close() {
      const measured = await energy?.close()
      return { ...cost, ...(measured && { energy: measured }) }
    },
  }
}
