import type { Codec, CodecHooks, Encoded } from './codec.ts'

/** One of the two ends of `contextBridge`. */
export interface BridgeEnd {
  /** Exposes a value as a global of the other world. @throws Error if the name is in use */
  expose(key: string, value: unknown): void
}

/**
 * Creates one end of `contextBridge`, for the isolated world or the page's world. Both worlds share only the document,
 * so the ends exchange its events, which are synchronous. Values are copied. A function becomes a proxy that runs the
 * original in its world, a promise becomes one that settles with it, and a proxy that returns to its world is replaced
 * by the original.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- Pages run its source text, so it cannot call others.
export function createBridgeEnd(
  createCodec: (hooks: CodecHooks) => Codec,
  outgoing: string,
  incoming: string,
): BridgeEnd {
  type Callable = (...args: unknown[]) => unknown
  type Answer = { ok: boolean; value: Encoded }
  type Message =
    | { type: 'hello' }
    | { type: 'expose'; call: number; key: string; value: Encoded }
    | { type: 'call'; call: number; target: number; value: Encoded }
    | { type: 'answer'; call: number; answer: Answer }
    | { type: 'settle'; promise: number; answer: Answer }

  const functions: Callable[] = []
  const functionIds = new Map<Callable, number>()
  /** Proxies of the other world's functions, and their numbers there. */
  const proxies = new WeakMap<Callable, number>()
  const answers = new Map<number, Answer>()
  const settlers = new Map<number, (answer: Answer) => void>()
  let nextCall = 0
  let nextPromise = 0
  let connected = false
  const early: Message[] = []

  const codec: Codec = createCodec({
    writeFunction(value) {
      const remote = proxies.get(value)
      if (remote !== undefined) return { yours: remote }
      const id = functionIds.get(value) ?? functions.push(value) - 1
      functionIds.set(value, id)
      return { mine: id }
    },
    readFunction(reference) {
      const { mine, yours } = reference as { mine?: number; yours?: number }
      if (yours !== undefined) return functions[yours]
      const target = Number(mine)
      const proxy: Callable = (...args) =>
        request((call) => ({ type: 'call', call, target, value: codec.encode(args) }))
      proxies.set(proxy, target)
      return proxy
    },
    writePromise(value) {
      const promise = nextPromise++
      const settle = (ok: boolean) => (result: unknown) =>
        post({ type: 'settle', promise, answer: { ok, value: encodeOr(result) } })
      value.then(settle(true), settle(false))
      return promise
    },
    readPromise(reference) {
      return new Promise((resolve, reject) => {
        settlers.set(Number(reference), (answer) => (answer.ok ? resolve : reject)(codec.decode(answer.value)))
      })
    },
  })

  /** Encodes a value, or the error if it cannot be copied. */
  function encodeOr(value: unknown): Encoded {
    try {
      return codec.encode(value)
    } catch (error) {
      return codec.encode(error instanceof Error ? error : new Error(String(error)))
    }
  }

  function post(message: Message): void {
    document.dispatchEvent(new CustomEvent(outgoing, { detail: message }))
  }

  /** Sends a request and returns the answer, which arrives before the event returns. */
  function request(message: (call: number) => Message): unknown {
    const call = nextCall++
    post(message(call))
    const answer = answers.get(call)
    answers.delete(call)
    if (answer === undefined) throw new Error('The other world did not answer.')
    const value = codec.decode(answer.value)
    if (!answer.ok) throw value
    return value
  }

  function answer(call: number, act: () => unknown): void {
    let result: Answer
    try {
      result = { ok: true, value: codec.encode(act()) }
    } catch (error) {
      result = { ok: false, value: encodeOr(error) }
    }
    post({ type: 'answer', call, answer: result })
  }

  function define(key: string, value: unknown): void {
    if (Object.hasOwn(globalThis, key))
      throw new Error('Cannot bind an API on top of an existing property on the window object')
    Object.defineProperty(globalThis, key, {
      value: frozen(value, new Set()),
      enumerable: true,
      writable: false,
      configurable: false,
    })
  }

  function frozen(value: unknown, seen: Set<unknown>): unknown {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) return value
    seen.add(value)
    for (const item of Object.values(value)) frozen(item, seen)
    return Object.freeze(value)
  }

  function receive(message: Message): void {
    switch (message.type) {
      case 'hello':
        if (!connected) {
          connected = true
          post({ type: 'hello' })
          for (const waiting of early.splice(0)) post(waiting)
        }
        return
      case 'expose':
        return answer(message.call, () => define(message.key, codec.decode(message.value)))
      case 'call':
        return answer(message.call, () => functions[message.target]?.(...(codec.decode(message.value) as unknown[])))
      case 'answer':
        return void answers.set(message.call, message.answer)
      case 'settle': {
        settlers.get(message.promise)?.(message.answer)
        return void settlers.delete(message.promise)
      }
      default:
        message satisfies never
    }
  }

  document.addEventListener(incoming, (event) => receive((event as CustomEvent<Message>).detail))
  // The world that starts second connects both.
  post({ type: 'hello' })

  const exposed = new Set<string>()
  return {
    expose(key, value) {
      if (exposed.has(key)) throw new Error('Cannot bind an API on top of an existing property on the window object')
      exposed.add(key)
      const written = codec.encode(value)
      if (connected) request((call) => ({ type: 'expose', call, key, value: written }))
      else early.push({ type: 'expose', call: nextCall++, key, value: written })
    },
  }
}
