import { z } from 'zod'
import type { EditorRequestName, EditorRequests } from '../../shared/editorRequests.ts'
import { ToolError, toFailure, toolErrorCodes, type Failure, type ToolErrorCode } from '../../shared/errors.ts'
import {
  requests,
  windowMessageSchema,
  type HandledParams,
  type MainMessage,
  type RequestName,
} from '../../shared/protocol.ts'
import type { Core, WindowLink } from '../core.ts'
import { answerSchemas } from './windowAnswers.ts'
import { log } from '../base/log/log.ts'

/** The connection to one window, in either host. `send` after the close drops the message. */
export interface Transport {
  send(message: MainMessage): void
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

interface PendingAsk {
  method: EditorRequestName
  settle(result: unknown): void
  reject(error: unknown): void
}

/**
 * Attaches a window to the core. Everything the window sends is validated first: envelope, method, parameters and answers.
 * Nothing is thrown into the transport. When the transport closes, pending requests of the window are aborted and pending
 * questions to it fail with `no_window`.
 * @returns the link, for events of the host itself, such as a menu
 */
export function connectWindow(core: Core, transport: Transport): WindowLink {
  const closed = new AbortController()
  const pending = new Map<number, PendingAsk>()
  let nextAsk = 1
  let detachedBecause: string | null = null

  const send = (message: MainMessage): void => {
    if (!closed.signal.aborted) transport.send(message)
  }

  const link: WindowLink = {
    emit(name, payload) {
      if (name === 'app.detached') leave('Another window is now in use.')
      // The signature ties the payload to the name; TypeScript cannot follow that through the generic.
      trySend(send, { kind: 'event', name, payload } as MainMessage)
    },
    ask(method, params, signal) {
      return ask(method, params, signal)
    },
  }

  function ask<N extends EditorRequestName>(
    method: N,
    params: EditorRequests[N]['params'],
    signal?: AbortSignal,
  ): Promise<EditorRequests[N]['result']> {
    return new Promise((resolve, reject) => {
      if (closed.signal.aborted || detachedBecause !== null) return reject(windowGone())
      if (signal?.aborted === true) return reject(signal.reason)
      const id = nextAsk++
      const onAbort = (): void => {
        pending.delete(id)
        reject(signal?.reason)
      }
      const done = (): void => {
        pending.delete(id)
        signal?.removeEventListener('abort', onAbort)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      pending.set(id, {
        method,
        // Parsed by `answerSchemas[method]`.
        settle: (result) => {
          done()
          resolve(result as EditorRequests[N]['result'])
        },
        reject: (error) => {
          done()
          reject(error)
        },
      })
      // The signature ties the parameters to the method.
      const failure = trySend(send, { kind: 'ask', id, method, params } as MainMessage)
      if (failure !== null) pending.get(id)?.reject(failure)
    })
  }

  /** Fails pending questions, and refuses further requests of the window. */
  function leave(reason: string): void {
    detachedBecause = reason
    for (const entry of pending.values()) entry.reject(windowGone())
  }

  async function respond(id: number, method: string, params: unknown): Promise<void> {
    let message: MainMessage
    try {
      if (detachedBecause !== null)
        throw new ToolError('conflict', detachedBecause, 'Reload this window to use it again.')
      message = { kind: 'response', id, ok: true, result: (await handle(core, method, params, closed.signal)) ?? null }
    } catch (error) {
      message = { kind: 'response', id, ok: false, error: reported(error) }
    }
    const failure = trySend(send, message)
    if (failure !== null) trySend(send, { kind: 'response', id, ok: false, error: toFailure(failure) })
  }

  transport.onMessage((raw) => {
    const parsed = windowMessageSchema.safeParse(raw)
    if (!parsed.success || closed.signal.aborted) return
    const message = parsed.data
    if (message.kind === 'request') {
      void respond(message.id, message.method, message.params)
      return
    }
    const entry = pending.get(message.id)
    if (entry === undefined) return
    if (!message.ok) return entry.reject(asToolError(message.error))
    const result = answerSchemas[entry.method].safeParse(message.result)
    if (result.success) entry.settle(result.data)
    else
      entry.reject(
        new ToolError(
          'internal',
          `The window sent an invalid answer to ${entry.method}: ${z.prettifyError(result.error)}`,
          'This is a bug in Tizona; please report it.',
        ),
      )
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
  // Parsed by the schema of this name; TypeScript cannot follow the name through the index.
  return core.handlers[method](parsed.data as HandledParams<N>, signal)
}

function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requests, name)
}

/** Sends a message. Returns the error of a transport that cannot send it, or null. */
function trySend(send: (message: MainMessage) => void, message: MainMessage): unknown {
  try {
    send(message)
    return null
  } catch (error) {
    log.error('A message to the window could not be sent', error)
    return error
  }
}

function reported(error: unknown): Failure {
  const failure = toFailure(error)
  if (failure.code === 'internal') log.error('A request failed', error)
  return failure
}

function asToolError(failure: { code: string; message: string; next: string } | undefined): ToolError {
  if (failure === undefined) return new ToolError('internal', 'The window refused without a reason.', 'Try again.')
  return new ToolError(isToolErrorCode(failure.code) ? failure.code : 'internal', failure.message, failure.next)
}

function isToolErrorCode(code: string): code is ToolErrorCode {
  return (toolErrorCodes as readonly string[]).includes(code)
}

function windowGone(): ToolError {
  return new ToolError(
    'no_window',
    'The window that shows the workspace was closed or replaced.',
    'Use the file tools instead, or ask the user to open the window.',
  )
}
