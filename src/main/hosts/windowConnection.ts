import { z } from 'zod'
import { ToolError, failureForUser, toFailure, type Failure } from '../../shared/errors.ts'
import {
  requests,
  windowMessageSchema,
  type HandledParams,
  type MainMessage,
  type RequestName,
} from '../../shared/bridge/protocol.ts'
import type { Core, WindowLink } from '../core.ts'
import { log } from '../base/log/log.ts'
import { createWindowRequests, windowClosedError } from './windowRequests.ts'

/** The connection to one window, in the desktop or browser host. Once closed, `send` drops messages. */
export interface Transport {
  send(message: MainMessage): void
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

/**
 * Attaches a window to the core. Validates everything the window sends: envelope, method, parameters and responses.
 * Exceptions never reach the transport. When the transport closes, requests from the window are aborted and requests to
 * the window fail with `no_window`.
 * @returns the link, for the host's own events, such as a menu command
 */
export function connectWindow(core: Core, transport: Transport): WindowLink {
  const closed = new AbortController()
  const windowRequests = createWindowRequests()
  let detachedReason: string | null = null

  const send = (message: MainMessage): void => {
    if (!closed.signal.aborted) transport.send(message)
  }

  const link: WindowLink = {
    emit(name, payload) {
      if (name === 'app.detached') leave('Tizona is now open in another window.')
      // The signature ties the payload to the name; TypeScript cannot follow that through the generic.
      trySend(send, { kind: 'event', name, payload } as MainMessage)
    },
    async ask(method, params, signal) {
      if (closed.signal.aborted || detachedReason !== null) throw windowClosedError()
      // The signature ties the parameters to the method.
      return windowRequests.ask(
        method,
        (id) => trySend(send, { kind: 'ask', id, method, params } as MainMessage),
        signal,
      )
    },
  }

  /** Fails pending requests to the window and refuses its further requests. */
  function leave(reason: string): void {
    detachedReason = reason
    windowRequests.rejectAll()
  }

  async function respond(id: number, method: string, params: unknown): Promise<void> {
    let message: MainMessage
    try {
      if (detachedReason !== null)
        throw new ToolError('conflict', detachedReason, 'Reload this window to use it again.')
      message = { kind: 'response', id, ok: true, result: (await handle(core, method, params, closed.signal)) ?? null }
    } catch (error) {
      message = { kind: 'response', id, ok: false, error: failureForUser(toLoggedFailure(error)) }
    }
    const failure = trySend(send, message)
    if (failure !== null) trySend(send, { kind: 'response', id, ok: false, error: toFailure(failure) })
  }

  transport.onMessage((raw) => {
    const parsed = windowMessageSchema.safeParse(raw)
    if (!parsed.success || closed.signal.aborted) return
    const message = parsed.data
    if (message.kind === 'request') void respond(message.id, message.method, message.params)
    else windowRequests.settle(message)
  })

  const detach = core.attach(link)
  transport.onClose(() => {
    if (closed.signal.aborted) return
    closed.abort(new DOMException('The window was closed.', 'AbortError'))
    leave('The window was closed.')
    detach()
  })
  return link
}

async function handle(core: Core, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isRequestName(method))
    throw new ToolError(
      'invalid_arguments',
      `Unknown request "${method}".`,
      'The window and the main process have different versions: reload the window.',
    )
  return run(core, method, params, signal)
}

async function run<N extends RequestName>(
  core: Core,
  method: N,
  params: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const parsed = requests[method].params.safeParse(params)
  if (!parsed.success)
    throw new ToolError(
      'invalid_arguments',
      `${method}: ${z.prettifyError(parsed.error)}`,
      'Check the values and try again.',
    )
  // The schema of this request has parsed the parameters; TypeScript does not relate the two.
  return core.handlers[method](parsed.data as HandledParams<N>, signal)
}

function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requests, name)
}

/** Sends a message. Returns null, or the logged error if the transport cannot send it. */
function trySend(send: (message: MainMessage) => void, message: MainMessage): unknown {
  try {
    send(message)
    return null
  } catch (error) {
    log.error('A message to the window could not be sent', error)
    return error
  }
}

/** Converts an exception to a failure for the window. Logs it if it is a bug. */
function toLoggedFailure(error: unknown): Failure {
  const failure = toFailure(error)
  if (failure.code === 'internal') log.error('A request failed', error)
  return failure
}
