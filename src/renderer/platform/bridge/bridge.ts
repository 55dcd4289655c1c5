import { create } from 'zustand'
import type { EditorRequestName, EditorRequests } from '../../../shared/editor/editorRequests.ts'
import { ToolError, toFailure, type Failure } from '../../../shared/errors.ts'
import type {
  EventName,
  Events,
  MainMessage,
  RequestName,
  RequestParams,
  RequestResult,
  WindowMessage,
} from '../../../shared/bridge/protocol.ts'
import { electronTransport } from './electronTransport.ts'
import { socketTransport } from './socketTransport.ts'
import type { BridgeStatus, Transport } from './transport.ts'

export type { BridgeStatus } from './transport.ts'

type Listener<N extends EventName> = (payload: Events[N]) => void
type EditorRequestHandler<N extends EditorRequestName> = (
  params: EditorRequests[N]['params'],
) => Promise<EditorRequests[N]['result']> | EditorRequests[N]['result']

export interface Bridge {
  /** Sends a request to main. @throws ToolError if the request fails or the connection drops before the response */
  request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>>
  /** Subscribes to an event. @returns a function that unsubscribes */
  on<N extends EventName>(name: N, listener: Listener<N>): () => void
  /**
   * Registers the handler of an editor request from main, replacing an earlier one.
   * @returns a function that unregisters it
   */
  handleRequest<N extends EditorRequestName>(name: N, handler: EditorRequestHandler<N>): () => void
  /** Calls the listener after each connection and reconnection. @returns a function that unsubscribes */
  onConnected(listener: () => void): () => void
  connect(transport: Transport): void
}

/** What may have changed while there was no connection, or one that lost events. */
const missedEvents: readonly MissedEvent[] = [
  { name: 'files.changed', payload: { changes: [], overflow: true } },
  { name: 'review.changed', payload: { paths: null } },
  { name: 'extensions.changed', payload: { ids: [] } },
  { name: 'plugins.changed', payload: { names: [] } },
]
type MissedEvent = { [N in EventName]: { name: N; payload: Events[N] } }[EventName]

/** Store with the state of the connection to main. */
export const useBridgeStatus = create<BridgeStatus>(() => ({ kind: 'connecting' }))

const connectionLost: Failure = {
  code: 'io_error',
  message: 'The connection to Tizona was lost before it responded.',
  next: 'Wait for the window to reconnect, then try again.',
}
const notConnected: Failure = {
  code: 'io_error',
  message: 'This window is not connected to Tizona.',
  next: 'Wait for the window to reconnect, then try again.',
}

/** Converts a failure that main reported to an error. */
export function toToolError({ code, message, next, reason, detail }: Failure): ToolError {
  return new ToolError(code, message, next, { reason, detail })
}

/** Handlers of requests from main to the editor. @param send sends the response of a handler */
function createEditorRequestHandlers(send: (message: WindowMessage) => void) {
  const handlers = new Map<string, (params: unknown) => unknown>()
  return {
    register<N extends EditorRequestName>(name: N, handler: EditorRequestHandler<N>): () => void {
      // The map is keyed by request name, so the parameters match.
      const entry = handler as (params: unknown) => unknown
      handlers.set(name, entry)
      return () => {
        if (handlers.get(name) === entry) handlers.delete(name)
      }
    },

    async respond(id: number, method: string, params: unknown): Promise<void> {
      try {
        const handler = handlers.get(method)
        if (!handler)
          throw new ToolError(
            'no_window',
            'The window is not ready to answer editor requests yet.',
            'Try again in a moment.',
          )
        send({ kind: 'answer', id, ok: true, result: await handler(params) })
      } catch (error) {
        send({ kind: 'answer', id, ok: false, error: toFailure(error) })
      }
    },
  }
}

/**
 * Creates the window's side of the protocol, over any transport. Requests before the first connection wait for it.
 * Later requests fail immediately while there is no connection.
 */
export function createBridge(setStatus: (status: BridgeStatus) => void): Bridge {
  let transport: Transport | null = null
  let state: BridgeStatus['kind'] = 'connecting'
  let nextId = 1
  const waiting: WindowMessage[] = []
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  const listeners = new Map<string, Set<(payload: unknown) => void>>()
  const editorRequests = createEditorRequestHandlers((message) => transport?.send(message))
  const connectedListeners = new Set<() => void>()
  let wasConnected = false

  /** Lists that have no request for their state are loaded again, as after a change of everything. */
  function announceConnection(): void {
    for (const listener of connectedListeners) listener()
    if (wasConnected) for (const { name, payload } of missedEvents) announce(name, payload)
    wasConnected = true
  }

  function announce(name: EventName, payload: unknown): void {
    for (const listener of listeners.get(name) ?? []) listener(payload)
  }

  function rejectAll(failure: Failure): void {
    const requests = [...pending.values()]
    pending.clear()
    waiting.length = 0
    for (const request of requests) request.reject(toToolError(failure))
  }

  function changeStatus(status: BridgeStatus): void {
    state = status.kind
    if (status.kind === 'connected') {
      for (const message of waiting.splice(0)) transport?.send(message)
      setStatus(status)
      announceConnection()
      return
    }
    if (status.kind !== 'connecting') rejectAll(connectionLost)
    setStatus(status)
  }

  function receive(message: MainMessage): void {
    if (message.kind === 'response') {
      const request = pending.get(message.id)
      pending.delete(message.id)
      if (message.ok) request?.resolve(message.result)
      else request?.reject(toToolError(message.error))
    } else if (message.kind === 'ask') {
      void editorRequests.respond(message.id, message.method, message.params)
    } else {
      if (message.name === 'app.detached') {
        transport?.stop()
        changeStatus({ kind: 'detached', reason: message.payload.reason })
      }
      if (message.name === 'app.reconnected') announceConnection()
      announce(message.name, message.payload)
    }
  }

  return {
    request(name, params) {
      return new Promise((resolve, reject) => {
        const id = nextId++
        const message: WindowMessage = { kind: 'request', id, method: name, params }
        // The response envelope is untyped, but main returns the result type of the request.
        pending.set(id, { resolve: resolve as (result: unknown) => void, reject })
        if (state === 'connecting') {
          waiting.push(message)
        } else if (!transport?.send(message)) {
          pending.delete(id)
          reject(toToolError(notConnected))
        }
      })
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set)
      // The map is keyed by event name, so the payload matches.
      const entry = listener as (payload: unknown) => void
      set.add(entry)
      return () => set.delete(entry)
    },
    handleRequest: editorRequests.register,
    onConnected(listener) {
      connectedListeners.add(listener)
      return () => connectedListeners.delete(listener)
    },
    connect(newTransport) {
      transport = newTransport
      newTransport.start({ message: receive, status: changeStatus })
    },
  }
}

const bridge = createBridge((status) => useBridgeStatus.setState(status, true))

export const { request, on, handleRequest, onConnected } = bridge

/** Connects the window to main. Called once. */
export function connectBridge(): void {
  bridge.connect(window.tizona ? electronTransport(window.tizona) : socketTransport())
}

/**
 * Takes the session over from another window. Reloads the page, because main has the other window's unsaved text, which
 * may be newer than the text in this page.
 */
export function reclaimSession(): void {
  location.reload()
}
