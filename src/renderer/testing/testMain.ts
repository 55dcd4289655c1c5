import { ToolError } from '../../shared/errors.ts'
import { connectBridge } from '../platform/bridge/bridge.ts'
import type {
  EventName,
  Events,
  MainMessage,
  RequestName,
  RequestParams,
  WindowMessage,
} from '../../shared/bridge/protocol.ts'

type Responses = { [N in RequestName]?: (params: RequestParams<N>) => unknown }

/** A fake main process behind the preload bridge, for component tests. */
export interface TestMain {
  /** Requests from the window, in order. */
  requests: { method: RequestName; params: unknown }[]
  /**
   * Functions that return the result of a request, by its name. Other requests return null. A thrown error becomes a
   * failure.
   */
  responses: Responses
  emit<N extends EventName>(name: N, payload: Events[N]): void
}

let shared: TestMain | undefined

/** Returns the fake and clears its `requests` and `responses`. All tests of a file share one connection. */
export function testMain(): TestMain {
  if (shared) {
    shared.requests.length = 0
    shared.responses = {}
    return shared
  }
  let receive: (message: MainMessage) => void = () => {}
  const main: TestMain = {
    requests: [],
    responses: {},
    // TypeScript cannot relate a generic name to the event union.
    emit: (name, payload) => receive({ kind: 'event', name, payload } as MainMessage),
  }
  window.tizona = {
    post(message: WindowMessage) {
      if (message.kind !== 'request') return
      main.requests.push({ method: message.method, params: message.params })
      // `responses` is keyed by method, so the parameters match.
      const answer = main.responses[message.method] as ((params: unknown) => unknown) | undefined
      queueMicrotask(async () => {
        try {
          receive({ kind: 'response', id: message.id, ok: true, result: (await answer?.(message.params)) ?? null })
        } catch (error) {
          receive({
            kind: 'response',
            id: message.id,
            ok: false,
            error:
              error instanceof ToolError
                ? error.toFailure()
                : { code: 'conflict', message: error instanceof Error ? error.message : String(error), next: '' },
          })
        }
      })
    },
    onMessage(listener) {
      receive = listener
      return () => {}
    },
    pathOf: () => '',
  }
  connectBridge()
  shared = main
  return main
}
