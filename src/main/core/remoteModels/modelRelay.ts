import { Readable } from 'node:stream'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import type { DesktopModels } from '../../model/endpoints/windowComputer.ts'
import { ModelError, type ModelErrorCode } from '../../model/modelClient.ts'
import { serverRoot } from '../../model/transport/localServers.ts'
import type { RelayedRequest, RelayedResponse } from '../../model/transport/requestRelay.ts'
import {
  maxModelRequests,
  modelAnswerSchema,
  unreadBytes,
  type ModelAnswer,
  type ModelFailure,
  type ModelRequest,
} from './modelMessages.ts'

/** The host's side of requests to model servers on the computer of its window. */
export interface ModelRelay extends DesktopModels {
  /** Accepts a message of the window. @returns whether it is about models */
  accept(message: unknown): boolean
  /** Ends all requests, because messages were lost or the window was closed. */
  failAll(): void
}

interface OpenRequest {
  request: RelayedRequest
  resolve(response: RelayedResponse): void
  reject(error: Error): void
  body: Readable | null
}

/** @param isConnected whether messages arrive at once */
export function createModelRelay(send: (message: ModelRequest) => void, isConnected: () => boolean): ModelRelay {
  let endpoints: readonly Endpoint[] = []
  const listeners = new Set<() => void>()
  const open = new Map<number, OpenRequest>()
  let nextId = 1

  function fail(id: number, error: Error): void {
    const entry = open.get(id)
    open.delete(id)
    if (entry?.body) entry.body.destroy(error)
    else entry?.reject(error)
  }

  function receive(answer: Exclude<ModelAnswer, { step: 'endpoints' }>): void {
    const { id, step } = answer
    const entry = open.get(id)
    if (entry === undefined) return
    if (step === 'accepted') entry.request.onAccepted()
    else if (step === 'head') {
      entry.body = createBody((bytes) => {
        if (open.has(id)) send({ kind: 'model', id, step: 'read', bytes })
      })
      entry.resolve({ status: answer.status, headers: answer.headers, body: entry.body })
    } else if (step === 'data') entry.body?.push(Buffer.from(answer.data, 'base64'))
    else if (step === 'end') {
      open.delete(id)
      entry.body?.push(null)
    } else fail(id, toModelError(answer.failure))
  }

  function start(endpoint: Endpoint, path: string, request: RelayedRequest): Promise<RelayedResponse> {
    const { method, body, signal } = request
    if (!endpoints.some(({ id }) => id === endpoint.id)) return Promise.reject(notAllowed(endpoint))
    if (!isConnected()) return Promise.reject(disconnected(endpoint))
    if (open.size >= maxModelRequests)
      return Promise.reject(
        new ModelError('server_error', `${endpoint.name} has too many requests of this window.`, 'Try again later.'),
      )
    const id = nextId++
    return new Promise((resolve, reject) => {
      open.set(id, { request, resolve, reject, body: null })
      signal.addEventListener(
        'abort',
        () => {
          if (!open.has(id)) return
          fail(id, signal.reason as Error)
          send({ kind: 'model', id, step: 'cancel' })
        },
        { once: true },
      )
      try {
        send({
          kind: 'model',
          id,
          step: 'send',
          endpoint: endpoint.id,
          method,
          path,
          ...(body !== undefined && { body }),
        })
      } catch (error) {
        fail(id, error as Error)
      }
    })
  }

  return {
    list: () => endpoints,
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    relay(endpoint) {
      const root = serverRoot(endpoint)
      return (request) => start(endpoint, request.url.slice(root.length), request)
    },
    accept(message) {
      if (typeof message !== 'object' || message === null || Reflect.get(message, 'kind') !== 'model') return false
      const answer = modelAnswerSchema.parse(message)
      if (answer.step !== 'endpoints') receive(answer)
      else if (JSON.stringify(answer.endpoints) !== JSON.stringify(endpoints)) {
        endpoints = answer.endpoints
        for (const listener of listeners) listener()
      }
      return true
    },
    failAll() {
      for (const id of open.keys())
        fail(
          id,
          new ModelError(
            'cut_off',
            'The connection between this host and the computer of the window broke, and the answer was lost with it.',
            'Send the message again.',
          ),
        )
    },
  }
}

/** @param onRead called with how much was read, not for each token */
function createBody(onRead: (bytes: number) => void): Readable {
  let unreported = 0
  const body = new Readable({
    highWaterMark: unreadBytes,
    read() {
      if (unreported < unreadBytes / 4) return
      const bytes = unreported
      unreported = 0
      onRead(bytes)
    },
  })
  const push = body.push.bind(body)
  body.push = (chunk: Buffer | null) => {
    unreported += chunk?.length ?? 0
    return push(chunk)
  }
  // Reported to the reader, which may have left.
  body.on('error', () => undefined)
  return body
}

function notAllowed({ name }: Endpoint): ModelError {
  return new ModelError(
    'unreachable',
    `${name} is not available: the window of this computer does not offer it to this host.`,
    'Allow it under Models in the settings of the window, or use another endpoint.',
  )
}

/** Can be retried: the window connects again by itself. */
function disconnected({ name }: Endpoint): ModelError {
  return new ModelError(
    'unreachable',
    `${name} cannot be reached, because the window is not connected.`,
    'Connect the window again, then send the message again.',
    { cause: Object.assign(new Error('The window is not connected.'), { code: 'EHOSTUNREACH' }) },
  )
}

function toModelError({ code, message, hint, cause }: ModelFailure): ModelError {
  return new ModelError(
    // The desktop has the same build, whose codes these are.
    code as ModelErrorCode,
    message,
    hint,
    cause === undefined ? {} : { cause: Object.assign(new Error(message), { code: cause }) },
  )
}
