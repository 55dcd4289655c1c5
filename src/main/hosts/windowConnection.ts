import { z } from 'zod'
import type { EditorAskName, EditorAsks } from '../../shared/editorRequests.ts'
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

/** One window's wire, whichever shell it lives in. `send` may be called after the close: the message is dropped. */
export interface Transport {
  send(message: MainMessage): void
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

interface PendingAsk {
  method: EditorAskName
  settle(result: unknown): void
  reject(error: unknown): void
}

/**
 * Attaches a window to the core. Everything the window sends is checked (envelope, method, parameters, and the results of
 * what it was asked) before it reaches anything else. Nothing is ever thrown into the transport. When the transport closes,
 * what the window was waiting for is aborted and what it was asked fails with `no_window`.
 * @returns the link, for events that come from the shell itself (a menu).
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
      if (name === 'app.detached') leave('Another window took over.')
      // Name and payload belong together by the signature; TypeScript cannot see that through the generic.
      trySend(send, { kind: 'event', name, payload } as MainMessage)
    },
    ask(method, params, signal) {
      return ask(method, params, signal)
    },
  }

  function ask<N extends EditorAskName>(
    method: N,
    params: EditorAsks[N]['params'],
    signal?: AbortSignal,
  ): Promise<EditorAsks[N]['result']> {
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
        // `answerSchemas[method]` has parsed it, so it is this method's result.
        settle: (result) => {
          done()
          resolve(result as EditorAsks[N]['result'])
        },
        reject: (error) => {
          done()
          reject(error)
        },
      })
      // Method and params belong together by the signature.
      const failure = trySend(send, { kind: 'ask', id, method, params } as MainMessage)
      if (failure !== null) pending.get(id)?.reject(failure)
    })
  }

  /** The window lost its place: what it was asked will not be answered, what it requests is refused. */
  function leave(reason: string): void {
    detachedBecause = reason
    for (const entry of pending.values()) entry.reject(windowGone())
  }

  async function respond(id: number, method: string, params: unknown): Promise<void> {
    let message: MainMessage
    try {
      if (detachedBecause !== null)
        throw new ToolError('conflict', detachedBecause, 'Reload this window to take over again.')
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
          `The window answered ${entry.method} in a form that cannot be read: ${z.prettifyError(result.error)}`,
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
      `There is no request named "${method}".`,
      'The window and the main process are of different versions: reload the window.',
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
  // The schema under this name produced the data; TypeScript cannot follow the name through the index.
  return core.handlers[method](parsed.data as HandledParams<N>, signal)
}

function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requests, name)
}

/** Sends, and returns what a transport that cannot carry the message threw. */
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
  if (failure === undefined) return new ToolError('internal', 'The window refused without saying why.', 'Try again.')
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
