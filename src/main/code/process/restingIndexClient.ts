import type { IndexEngine } from './indexEngine.ts'
import { createIndexClient, type IndexClient, type IndexClientOptions } from './indexClient.ts'

/** Default of `idleTime`: longer than a model thinks, so that the calls of a turn do not wait for a new process. */
export const defaultIdleTime = 5 * 60_000

/** An index client whose process exits when nobody uses it. The next call starts another one. */
export interface RestingIndexClient extends IndexClient {
  /** Whether the process has exited because nobody used it. The next one compares all files with the index. */
  readonly asleep: boolean
}

export interface RestingOptions extends IndexClientOptions {
  /** Called before each start of the process. Returns the database that a new one starts as a copy of. */
  prepare?(): Promise<string | undefined>
  /** Milliseconds without a call after which the process exits. */
  idleTime?: number
}

/** @param options.onRestarted also called when a call starts another process, before that process receives the call */
export function createRestingIndexClient(options: RestingOptions): RestingIndexClient {
  const { idleTime = defaultIdleTime, onRestarted, prepare } = options
  let client: IndexClient | undefined
  let starting: Promise<IndexClient> | undefined
  let hasRun = false
  /** Settles when the unused process has exited. */
  let ending: Promise<void> | undefined
  let calls = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function start(): Promise<IndexClient> {
    await ending
    const copyOf = await prepare?.()
    if (closed) throw new Error('The code index was closed.')
    client = createIndexClient({ ...options, engine: { ...options.engine, ...(copyOf !== undefined && { copyOf }) } })
    if (hasRun) onRestarted()
    hasRun = true
    return client
  }

  function wake(): Promise<IndexClient> {
    starting ??= start().finally(() => (starting = undefined))
    return starting
  }

  async function call<Method extends keyof IndexEngine>(
    method: Method,
    params: Parameters<IndexEngine[Method]>,
  ): Promise<Awaited<ReturnType<IndexEngine[Method]>>> {
    clearTimeout(timer)
    calls++
    try {
      return await (client ?? (await wake())).call(method, params)
    } finally {
      calls--
      if (calls === 0) restLater()
    }
  }

  function restLater(): void {
    clearTimeout(timer)
    if (closed) return
    timer = setTimeout(() => void rest(), idleTime)
    timer.unref()
  }

  /** Ends the process unless it is indexing or in use. */
  async function rest(): Promise<void> {
    const state = await stateOf(call)
    if (state !== 'ready' || calls > 0 || closed || client === undefined) return
    clearTimeout(timer)
    const unused = client
    client = undefined
    ending = unused.close()
    await ending
    ending = undefined
  }

  // The calls report a failure.
  wake().catch(() => undefined)
  return {
    get asleep() {
      return client === undefined && starting === undefined
    },
    call,
    async close() {
      closed = true
      clearTimeout(timer)
      await ending
      await starting?.catch(() => undefined)
      await client?.close()
    },
  }
}

/** Returns the state of the index; undefined if its process fails, which the client reports. */
async function stateOf(call: IndexClient['call']): Promise<ReturnType<IndexEngine['status']>['state'] | undefined> {
  try {
    return (await call('status', [])).state
  } catch {
    return undefined
  }
}
