import { connect } from '../platform/bridge/bridge.ts'
import type {
  EventName,
  Events,
  MainMessage,
  RequestName,
  RequestParams,
  WindowMessage,
} from '../../shared/protocol.ts'

type Answers = { [N in RequestName]?: (params: RequestParams<N>) => unknown }

/** Stands in for main behind the preload bridge, the one thing of Electron that tests cannot have. For tests only. */
export interface TestMain {
  /** What the window asked, in order. */
  asked: { method: RequestName; params: unknown }[]
  /** How to answer; a request that is not named is answered with null. A thrown error is a failure. */
  answers: Answers
  emit<N extends EventName>(name: N, payload: Events[N]): void
}

let shared: TestMain | undefined

/** One connection serves all tests of a file; `asked` and `answers` start empty. */
export function testMain(): TestMain {
  if (shared) {
    shared.asked.length = 0
    shared.answers = {}
    return shared
  }
  let receive: (message: MainMessage) => void = () => {}
  const main: TestMain = {
    asked: [],
    answers: {},
    // The envelope of an event is its name and payload; the union cannot be built from a generic name.
    emit: (name, payload) => receive({ kind: 'event', name, payload } as MainMessage),
  }
  window.tizona = {
    post(message: WindowMessage) {
      if (message.kind !== 'request') return
      main.asked.push({ method: message.method, params: message.params })
      // Keyed by method, so that the parameters are its own.
      const answer = main.answers[message.method] as ((params: unknown) => unknown) | undefined
      queueMicrotask(async () => {
        try {
          receive({ kind: 'response', id: message.id, ok: true, result: (await answer?.(message.params)) ?? null })
        } catch (error) {
          receive({
            kind: 'response',
            id: message.id,
            ok: false,
            error: { code: 'conflict', message: error instanceof Error ? error.message : String(error), next: '' },
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
  connect()
  shared = main
  return main
}
