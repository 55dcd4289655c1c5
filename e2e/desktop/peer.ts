/** Operations by name. Each has one parameter. */
export type Operations = Record<string, (params: never) => unknown>

/** The other process. */
export interface Peer<Remote extends Operations> {
  /** Runs an operation in the other process. @throws Error with its message, or if that process has ended */
  call<Name extends keyof Remote & string>(
    name: Name,
    params: Parameters<Remote[Name]>[0],
  ): Promise<Awaited<ReturnType<Remote[Name]>>>
  /** Runs an operation without waiting. The other process logs its failure. */
  tell<Name extends keyof Remote & string>(name: Name, params: Parameters<Remote[Name]>[0]): void
  /** Rejects all pending calls. */
  close(reason: string): void
}

type Message =
  | { type: 'call'; id: number | null; name: string; params: unknown }
  | { type: 'answer'; id: number; ok: true; value: unknown }
  | { type: 'answer'; id: number; ok: false; message: string }

/** A channel that delivers messages in order and copies them by structured clone. */
export interface Wire {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** Connects two processes that call each other's operations. Calls arrive in order. */
export function createPeer<Remote extends Operations>(wire: Wire, local: Operations): Peer<Remote> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let nextId = 1
  let closed: string | null = null

  async function run(id: number | null, name: string, params: unknown): Promise<void> {
    try {
      const operation = local[name]
      if (operation === undefined) throw new Error(`There is no operation "${name}".`)
      // The signature of `call` ties the parameters to the name.
      const value = await operation(params as never)
      if (id !== null && closed === null) wire.send({ type: 'answer', id, ok: true, value })
    } catch (error) {
      if (id === null) console.error(`The operation "${name}" of the desktop harness failed:`, error)
      else if (closed === null)
        wire.send({ type: 'answer', id, ok: false, message: error instanceof Error ? error.message : String(error) })
    }
  }

  wire.onMessage((raw) => {
    const message = raw as Message
    if (message.type === 'call') return void run(message.id, message.name, message.params)
    const entry = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.ok) entry?.resolve(message.value)
    else entry?.reject(new Error(message.message))
  })

  return {
    call(name, params) {
      return new Promise((resolve, reject) => {
        if (closed !== null) return reject(new Error(closed))
        const id = nextId++
        // The signature of `call` ties the result to the name.
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        wire.send({ type: 'call', id, name, params })
      })
    },
    tell(name, params) {
      if (closed === null) wire.send({ type: 'call', id: null, name, params })
    },
    close(reason) {
      closed = reason
      for (const { reject } of waiting.values()) reject(new Error(reason))
      waiting.clear()
    },
  }
}
