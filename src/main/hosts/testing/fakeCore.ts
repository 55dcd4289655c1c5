import type { RequestName } from '../../../shared/bridge/protocol.ts'
import { requests } from '../../../shared/bridge/protocol.ts'
import type { Core, WindowLink } from '../../core.ts'
import type { Handlers } from '../../core/coreContract.ts'

export interface FakeCore extends Core {
  /** All requests that a handler received. */
  readonly handled: { name: RequestName; params: unknown; signal: AbortSignal }[]
  /** The currently attached window. */
  readonly link: WindowLink | null
  /** Sets the answer to a request, which otherwise has no result. */
  answerWith(name: RequestName, answer: (signal: AbortSignal) => unknown): void
  disposed: boolean
}

/** Creates a core that answers every request. For tests of the hosts. */
export function createFakeCore(): FakeCore {
  const handled: FakeCore['handled'] = []
  const answers = new Map<RequestName, (signal: AbortSignal) => unknown>()
  let link: WindowLink | null = null

  const handlers = Object.fromEntries(
    Object.keys(requests).map((key) => {
      // The keys of `requests` are its names.
      const name = key as RequestName
      return [
        name,
        (params: unknown, signal: AbortSignal) => {
          handled.push({ name, params, signal })
          return answers.get(name)?.(signal)
        },
      ]
    }),
    // TypeScript does not tie the entries of `Object.fromEntries` to their names.
  ) as unknown as Handlers

  return {
    handlers,
    openFile: () => Promise.resolve(null),
    handled,
    get executor(): never {
      throw new Error('No tool runs in this core.')
    },
    get sessions(): never {
      throw new Error('There are no sessions in this core.')
    },
    checkpoints() {
      throw new Error('No folder is open in this core.')
    },
    get link() {
      return link
    },
    disposed: false,
    answerWith: (name, answer) => void answers.set(name, answer),
    attach(next) {
      link?.emit('app.detached', { reason: 'Another window took over.' })
      link = next
      return () => {
        if (link === next) link = null
      }
    },
    subscribe: () => () => {},
    openWorkspace: async (root) => ({ root, name: 'señal', branch: 'main' }),
    prepareModel: () => undefined,
    toolsReady: async () => [],
    isWorking: () => false,
    isTrying: () => false,
    async dispose() {
      this.disposed = true
    },
  }
}
