import type { RequestName } from '../../../shared/bridge/protocol.ts'
import { requests } from '../../../shared/bridge/protocol.ts'
import type { Core, WindowLink } from '../../core.ts'
import type { Handlers } from '../../handlers/handlers.ts'
import { requestRows } from './samples.ts'

export interface FakeCore extends Core {
  /** All requests that a handler received. */
  readonly handled: { name: RequestName; params: unknown; signal: AbortSignal }[]
  /** The currently attached window. */
  readonly link: WindowLink | null
  /** Replaces the sample answer to a request. */
  answerWith(name: RequestName, answer: (signal: AbortSignal) => unknown): void
  disposed: boolean
}

/** Creates a core that answers every request with its sample. For tests of the hosts. */
export function createFakeCore(): FakeCore {
  const handled: FakeCore['handled'] = []
  const overrides = new Map<RequestName, (signal: AbortSignal) => unknown>()
  let link: WindowLink | null = null

  const handlers = Object.fromEntries(
    Object.keys(requests).map((key) => {
      // The keys of `requests` are its names.
      const name = key as RequestName
      return [
        name,
        (params: unknown, signal: AbortSignal) => {
          handled.push({ name, params, signal })
          const override = overrides.get(name)
          return override === undefined ? requestRows[name].result : override(signal)
        },
      ]
    }),
    // TypeScript does not tie the entries of `Object.fromEntries` to their names; `requestRows` does.
  ) as unknown as Handlers

  return {
    handlers,
    handled,
    executor: {
      call: async () => requestRows['tools.call'].result,
      runsInParallel: () => false,
      takeLateErrors: () => undefined,
      describe: () => requestRows['tools.list'].result,
      describeAll: () => requestRows['tools.list'].result,
      fullText: () => requestRows['results.full'].result,
    },
    checkpoints() {
      throw new Error('No folder is open in this core.')
    },
    get link() {
      return link
    },
    disposed: false,
    answerWith: (name, answer) => void overrides.set(name, answer),
    attach(next) {
      link?.emit('app.detached', { reason: 'Another window took over.' })
      link = next
      return () => {
        if (link === next) link = null
      }
    },
    subscribe: () => () => {},
    openWorkspace: async () => requestRows['workspace.open'].result,
    prepareModel: () => undefined,
    toolsReady: async () => [],
    async dispose() {
      this.disposed = true
    },
  }
}
