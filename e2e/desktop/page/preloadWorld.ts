import type { BridgeEnd } from './bridgeEnd.ts'
import type { Codec, CodecHooks } from './codec.ts'

/** Options of `preloadWorld`, which are written into a script as JSON. */
export interface PreloadOptions {
  /** Path of the preload script, for error messages. */
  path: string
  /** Name of the global function that sends to the application. */
  binding: string
  /** Name of the global function that receives messages. */
  deliver: string
  platform: string
  versions: Record<string, string>
}

/** A sandboxed preload script with the parameters that Electron passes. */
export type PreloadScript = (
  require: unknown,
  process: unknown,
  Buffer: unknown,
  global: unknown,
  setImmediate: unknown,
  clearImmediate: unknown,
  exports: unknown,
  module: unknown,
) => void

/** A message from the isolated world to the application. */
export type PageMessage =
  | { kind: 'send'; channel: string; args: string }
  | { kind: 'invoke'; channel: string; args: string; call: number }
  | { kind: 'preload-error'; message: string; stack: string }
  | { kind: 'unhandled-key'; key: string; code: string; control: boolean; shift: boolean; alt: boolean; meta: boolean }

/** A message from the application to the isolated world. */
export type PageDelivery =
  | { kind: 'message'; channel: string; args: string }
  | { kind: 'reply'; call: number; ok: boolean; value: string }
  | { kind: 'dropped'; paths: Record<string, string> }

/**
 * Runs a preload script like Electron in a sandboxed, isolated world: `require` knows four modules, and `electron` has
 * `ipcRenderer`, `contextBridge` and `webUtils`.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- Pages run its source text, so it cannot call others.
export function preloadWorld(
  createCodec: (hooks: CodecHooks | null) => Codec,
  createBridge: () => BridgeEnd,
  { path, binding, deliver, platform, versions }: PreloadOptions,
  script: PreloadScript,
): void {
  type Listener = (...args: unknown[]) => void
  // Only the main frame has a preload script, because `nodeIntegrationInSubFrames` is off.
  if (window !== window.top) return
  const codec = createCodec(null)
  const globals = globalThis as unknown as Record<string, (text: string) => void>
  const post = (message: PageMessage): void => globals[binding]?.(JSON.stringify(message))
  const notModelled = (name: string) => (): never => {
    throw new Error(`The desktop harness does not model ${name}: see e2e/desktop/README.md.`)
  }

  /** The subset of Node's EventEmitter that preload scripts use. */
  class EventEmitter {
    readonly #listeners = new Map<unknown, { listener: Listener; once: boolean }[]>()
    on(name: unknown, listener: Listener): this {
      return this.#add(name, listener, false)
    }
    once(name: unknown, listener: Listener): this {
      return this.#add(name, listener, true)
    }
    off(name: unknown, listener: Listener): this {
      const found = this.#listeners.get(name) ?? []
      const index = found.findLastIndex((entry) => entry.listener === listener)
      if (index >= 0) this.#listeners.set(name, found.toSpliced(index, 1))
      return this
    }
    addListener = this.on
    removeListener = this.off
    removeAllListeners(name?: unknown): this {
      if (name === undefined) this.#listeners.clear()
      else this.#listeners.delete(name)
      return this
    }
    emit(name: unknown, ...args: unknown[]): boolean {
      const found = this.#listeners.get(name) ?? []
      for (const { listener, once } of found) {
        if (once) this.off(name, listener)
        listener.apply(this, args)
      }
      return found.length > 0
    }
    listenerCount(name: unknown): number {
      return this.#listeners.get(name)?.length ?? 0
    }
    #add(name: unknown, listener: Listener, once: boolean): this {
      if (typeof listener !== 'function') throw new TypeError('The "listener" argument must be of type function.')
      this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { listener, once }])
      return this
    }
  }

  /** Copies with structured clone first, because Electron refuses the same values. */
  function cloned(args: unknown[]): string {
    try {
      return codec.encode(structuredClone(args)).text
    } catch {
      throw new Error('An object could not be cloned.')
    }
  }
  const channelOf = (channel: unknown): string => {
    if (typeof channel !== 'string') throw new TypeError('Error processing argument at index 0, conversion failure')
    return channel
  }

  const calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  let nextCall = 0
  const ipcRenderer = Object.assign(new EventEmitter(), {
    send(channel: unknown, ...args: unknown[]): void {
      post({ kind: 'send', channel: channelOf(channel), args: cloned(args) })
    },
    invoke(channel: unknown, ...args: unknown[]): Promise<unknown> {
      const call = nextCall++
      const message: PageMessage = { kind: 'invoke', channel: channelOf(channel), args: cloned(args), call }
      return new Promise((resolve, reject) => {
        calls.set(call, { resolve, reject })
        post(message)
      })
    },
    sendSync: notModelled('ipcRenderer.sendSync'),
    sendToHost: notModelled('ipcRenderer.sendToHost'),
    postMessage: notModelled('ipcRenderer.postMessage'),
  })

  const bridge = createBridge()
  let dropped: Record<string, string> = {}
  const electron = {
    contextBridge: {
      exposeInMainWorld: (key: string, api: unknown) => bridge.expose(key, api),
      exposeInIsolatedWorld: notModelled('contextBridge.exposeInIsolatedWorld'),
      executeInMainWorld: notModelled('contextBridge.executeInMainWorld'),
    },
    ipcRenderer,
    webUtils: {
      /** Returns the path of a dropped file; '' for a file that the page created. */
      getPathForFile(file: unknown): string {
        if (!(file instanceof File)) throw new TypeError('Error processing argument at index 0, conversion failure')
        return dropped[file.name] ?? ''
      },
    },
    get crashReporter(): never {
      return notModelled('crashReporter in the preload script')()
    },
    get nativeImage(): never {
      return notModelled('nativeImage in the preload script')()
    },
    get webFrame(): never {
      return notModelled('webFrame')()
    },
  }

  globals[deliver] = (text) => {
    const message = JSON.parse(text) as PageDelivery
    if (message.kind === 'dropped') dropped = message.paths
    else if (message.kind === 'message')
      ipcRenderer.emit(
        message.channel,
        { sender: ipcRenderer, senderId: 0, ports: [] },
        ...(codec.decode({ text: message.args, attachments: [] }) as unknown[]),
      )
    else {
      const call = calls.get(message.call)
      calls.delete(message.call)
      const [value] = codec.decode({ text: message.value, attachments: [] }) as unknown[]
      if (message.ok) call?.resolve(value)
      else call?.reject(value)
    }
  }

  // The menu receives keys that the page has not handled, which is known after all listeners have run.
  addEventListener(
    'keydown',
    (event) => {
      setTimeout(() => {
        if (event.defaultPrevented) return
        const { key, code, ctrlKey: control, shiftKey: shift, altKey: alt, metaKey: meta } = event
        post({ kind: 'unhandled-key', key, code, control, shift, alt, meta })
      })
    },
    { capture: true },
  )

  const setImmediate = (run: Listener, ...args: unknown[]): number => window.setTimeout(run, 0, ...args)
  const clearImmediate = (id: number): void => window.clearTimeout(id)
  const modules: Record<string, unknown> = {
    electron,
    'electron/common': electron,
    'electron/renderer': electron,
    events: Object.assign(EventEmitter, { EventEmitter }),
    timers: { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate },
    url: { URL, URLSearchParams },
  }
  const require = (name: string): unknown => {
    const known = name.replace(/^node:/, '')
    if (!Object.hasOwn(modules, known)) throw new Error(`module not found: ${name}`)
    return modules[known]
  }
  const process = Object.assign(new EventEmitter(), {
    type: 'renderer',
    sandboxed: true,
    contextIsolated: true,
    platform,
    versions,
    env: {},
    argv: [],
    execPath: '',
  })
  try {
    const module = { exports: {} }
    script(require, process, undefined, globalThis, setImmediate, clearImmediate, module.exports, module)
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    console.error(`Unable to load preload script: ${path}\n${stack}`)
    post({ kind: 'preload-error', message, stack })
  }
}
