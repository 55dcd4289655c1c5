import type { ModelChoice, TurnCost } from '../../shared/agent/conversation.ts'
import type { EnergyMeter } from '../model/energyMeter.ts'
import type { ModelClient } from '../model/modelClient.ts'

/** Adds up what the requests of a turn take. */
export interface CostMeter {
  /** Returns a client whose requests count: that of the conversation, or of another model for sub-agents. */
  count(client: ModelClient, choice: ModelChoice): ModelClient
  /** Ends the measurement. */
  close(): Promise<TurnCost>
}

/** @param meterOf returns a meter for a model on this machine; undefined for others */
export function createCostMeter(
  meterOf: (choice: ModelChoice) => EnergyMeter | undefined = () => undefined,
): CostMeter {
  const cost = { requests: 0, promptTokens: 0, completionTokens: 0, seconds: 0 }
  /** One for all models, because it measures the whole machine. */
  let energy: EnergyMeter | undefined
  let running = 0
  let measured = 0
  let since = 0

  function begin(isLocal: boolean): void {
    cost.requests += 1
    running += 1
    if (running === 1) since = performance.now()
    if (isLocal && ++measured === 1) void energy?.resume()
  }

  function end(isLocal: boolean): void {
    running -= 1
    if (running === 0) cost.seconds += (performance.now() - since) / 1000
    if (isLocal && --measured === 0) void energy?.pause()
  }

  return {
    count(client, choice) {
      const meter = meterOf(choice)
      energy ??= meter
      const isLocal = meter !== undefined
      return {
        ...client,
        async *stream(request) {
          begin(isLocal)
          try {
            for await (const event of client.stream(request)) {
              if (event.kind === 'usage') {
                cost.promptTokens += event.usage.promptTokens
                cost.completionTokens += event.usage.completionTokens
              }
              yield event
            }
          } finally {
            end(isLocal)
          }
        },
      }
    },
    async close() {
      const used = await energy?.close()
      return { ...cost, ...(used && { energy: used }) }
    },
  }
}
