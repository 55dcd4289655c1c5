import type { Readable, Writable } from 'node:stream'
import type { DebugProtocol } from '@vscode/debugprotocol'
import { ToolError } from '../../shared/errors.ts'
import { asSentence } from '../base/asSentence.ts'
import { createByteWindow, createContentLengthFrames, parseMessage } from '../base/contentLengthFrames.ts'

/** Requests that Tizona sends to debug adapters: arguments and body of the response. */
export interface AdapterRequests {
  initialize: [DebugProtocol.InitializeRequestArguments, DebugProtocol.Capabilities | undefined]
  launch: [object, undefined]
  attach: [object, undefined]
  configurationDone: [object, undefined]
  setBreakpoints: [DebugProtocol.SetBreakpointsArguments, DebugProtocol.SetBreakpointsResponse['body']]
  setFunctionBreakpoints: [
    DebugProtocol.SetFunctionBreakpointsArguments,
    DebugProtocol.SetFunctionBreakpointsResponse['body'],
  ]
  setExceptionBreakpoints: [
    DebugProtocol.SetExceptionBreakpointsArguments,
    DebugProtocol.SetExceptionBreakpointsResponse['body'],
  ]
  dataBreakpointInfo: [DebugProtocol.DataBreakpointInfoArguments, DebugProtocol.DataBreakpointInfoResponse['body']]
  setDataBreakpoints: [DebugProtocol.SetDataBreakpointsArguments, DebugProtocol.SetDataBreakpointsResponse['body']]
  threads: [object, DebugProtocol.ThreadsResponse['body']]
  stackTrace: [DebugProtocol.StackTraceArguments, DebugProtocol.StackTraceResponse['body']]
  scopes: [DebugProtocol.ScopesArguments, DebugProtocol.ScopesResponse['body']]
  variables: [DebugProtocol.VariablesArguments, DebugProtocol.VariablesResponse['body']]
  setVariable: [DebugProtocol.SetVariableArguments, DebugProtocol.SetVariableResponse['body']]
  evaluate: [DebugProtocol.EvaluateArguments, DebugProtocol.EvaluateResponse['body']]
  completions: [DebugProtocol.CompletionsArguments, DebugProtocol.CompletionsResponse['body']]
  exceptionInfo: [DebugProtocol.ExceptionInfoArguments, DebugProtocol.ExceptionInfoResponse['body']]
  source: [DebugProtocol.SourceArguments, DebugProtocol.SourceResponse['body']]
  continue: [DebugProtocol.ContinueArguments, DebugProtocol.ContinueResponse['body'] | undefined]
  pause: [DebugProtocol.PauseArguments, undefined]
  next: [DebugProtocol.NextArguments, undefined]
  stepIn: [DebugProtocol.StepInArguments, undefined]
  stepOut: [DebugProtocol.StepOutArguments, undefined]
  stepBack: [DebugProtocol.StepBackArguments, undefined]
  restart: [object, undefined]
  terminate: [DebugProtocol.TerminateArguments, undefined]
  disconnect: [DebugProtocol.DisconnectArguments, undefined]
  cancel: [DebugProtocol.CancelArguments, undefined]
}
export type AdapterRequestName = keyof AdapterRequests

export interface RequestOptions {
  signal?: AbortSignal | undefined
  /** Milliseconds. Default: `ConnectionOptions.requestTimeout`. Null: none. */
  timeout?: number | null
}

/** A connection to a debug adapter. */
export interface AdapterConnection {
  /**
   * Sends a request and resolves with the body of its response. Aborting and the time limit cancel it at the adapter, if
   * that can cancel.
   * @throws ToolError `timeout`; `server_error` with the adapter's message, or if the connection has closed; AbortError
   */
  request<N extends AdapterRequestName>(
    command: N,
    args: AdapterRequests[N][0],
    options?: RequestOptions,
  ): Promise<AdapterRequests[N][1]>
  /** Whether requests can be cancelled. Known after `initialize`. */
  canCancel: boolean
  /** Resolves with the reason when the connection has closed. Never rejects. */
  readonly closed: Promise<string>
  /** Closes the connection. Pending requests fail. */
  close(reason: string): void
}

export interface ConnectionOptions {
  /** Name of the debugger, for messages. */
  title: string
  input: Writable
  output: Readable
  /** Milliseconds that the adapter has for a response. */
  requestTimeout: number
  onEvent(event: string, body: unknown): void
  /** Handles a request of the adapter. @returns the body of the response; throws if it fails */
  onRequest(command: string, args: unknown): Promise<object | undefined>
}

/** Maximum bytes waiting for an adapter that does not read. */
const maxWaitingBytes = 16 * 1024 * 1024
/** Maximum pending requests of the adapter. */
const maxReverseRequests = 50
/**
 * Bytes that are read within `windowMs`. A debugged program can print without limit; reading is paused then, so that
 * parsing leaves time for everything else, and the program waits.
 */
const maxWindowBytes = 4 * 1024 * 1024
const windowMs = 250

interface PendingRequest {
  command: string
  resolve(body: unknown): void
  reject(error: unknown): void
}

/** Connects to the streams of a started debug adapter. Trusts nothing that it sends. */
export function connectAdapter(options: ConnectionOptions): AdapterConnection {
  const { title, input, output, requestTimeout, onEvent, onRequest } = options
  const closed = Promise.withResolvers<string>()
  const pending = new Map<number, PendingRequest>()
  let isClosed = false
  let sequence = 0

  function close(reason: string): void {
    if (isClosed) return
    isClosed = true
    output.off('data', receive)
    for (const { reject } of pending.values()) reject(ended(reason))
    pending.clear()
    closed.resolve(reason)
  }

  const ended = (reason: string): ToolError => new ToolError('server_error', `${title} ended. ${asSentence(reason)}`)

  function send(message: object): number {
    const seq = ++sequence
    const body = Buffer.from(JSON.stringify({ seq, ...message }))
    input.write(`Content-Length: ${body.length}\r\n\r\n`)
    input.write(body)
    if (input.writableLength > maxWaitingBytes) close('It does not read its input.')
    return seq
  }

  const answer = createResponder(onRequest, (response) => {
    if (!isClosed) send(response)
  })
  const frames = createContentLengthFrames(close)
  const throttle = createThrottle(output)

  function receive(chunk: Buffer): void {
    throttle(chunk.length)
    for (const frame of frames(chunk)) {
      if (isClosed) return
      const message = parseMessage(frame)
      if (message === null) close('It sent a message that is not JSON.')
      else dispatch(message as Partial<DebugProtocol.ProtocolMessage>)
    }
  }

  function dispatch(message: Partial<DebugProtocol.ProtocolMessage>): void {
    if (message.type === 'event') {
      const { event, body } = message as Partial<DebugProtocol.Event>
      if (typeof event === 'string') onEvent(event, body)
    } else if (message.type === 'response') settle(message as Partial<DebugProtocol.Response>)
    else if (message.type === 'request') void answer(message as Partial<DebugProtocol.Request>)
  }

  function settle(response: Partial<DebugProtocol.Response>): void {
    const seq = response.request_seq ?? -1
    const request = pending.get(seq)
    if (request === undefined) return
    pending.delete(seq)
    if (response.success === true) request.resolve(response.body)
    else request.reject(new ToolError('server_error', failureText(response, title, request.command)))
  }

  output.on('data', receive)
  output.once('close', () => close('It closed the connection.'))
  output.once('error', (error) => close(error.message))
  // `closed` reports an adapter that does not read any more.
  input.on('error', (error) => close(error.message))

  const connection: AdapterConnection = {
    canCancel: false,
    closed: closed.promise,
    close,
    async request<N extends AdapterRequestName>(
      command: N,
      args: AdapterRequests[N][0],
      { signal, timeout = requestTimeout }: RequestOptions = {},
    ): Promise<AdapterRequests[N][1]> {
      signal?.throwIfAborted()
      if (isClosed) throw ended(await closed.promise)
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const seq = send({ type: 'request', command, arguments: args })
      pending.set(seq, { command, resolve, reject })
      const abandon = (reason: unknown): void => {
        if (!pending.delete(seq)) return
        if (connection.canCancel && !isClosed)
          send({ type: 'request', command: 'cancel', arguments: { requestId: seq } })
        reject(reason)
      }
      const onAbort = (): void => abandon(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      const onLate = (): void => abandon(lateResponse(title, command, timeout))
      const timer = timeout === null ? undefined : setTimeout(onLate, timeout)
      try {
        // Bodies are those of the protocol. Their users check what they read.
        return (await promise) as AdapterRequests[N][1]
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
    },
  }
  return connection
}

const lateResponse = (title: string, command: string, timeout: number | null): ToolError =>
  new ToolError(
    'timeout',
    `${title} did not respond to "${command}" within ${(timeout ?? 0) / 1000} s.`,
    'Try something that takes less time, or stop the debug session.',
  )

/** Returns a function that handles a request of the adapter and sends its response. */
function createResponder(
  onRequest: ConnectionOptions['onRequest'],
  send: (response: object) => void,
): (request: Partial<DebugProtocol.Request>) => Promise<void> {
  let running = 0
  return async ({ seq, command, arguments: args }) => {
    const respond = (outcome: object): void => send({ type: 'response', request_seq: seq, command, ...outcome })
    if (typeof command !== 'string' || running >= maxReverseRequests)
      return respond({ success: false, message: 'The request was refused.' })
    running++
    try {
      const body = await onRequest(command, args)
      respond({ success: true, ...(body && { body }) })
    } catch (error) {
      respond({ success: false, message: error instanceof Error ? error.message : String(error) })
    } finally {
      running--
    }
  }
}

/** Returns a function that adds received bytes, and pauses the stream while there are too many. */
function createThrottle(stream: Readable): (bytes: number) => void {
  const received = createByteWindow(windowMs)
  return (bytes) => {
    if (received(bytes) <= maxWindowBytes || stream.isPaused()) return
    stream.pause()
    setTimeout(() => stream.resume(), windowMs)
  }
}

/** Returns the message that the adapter has for people. */
function failureText({ message, body }: Partial<DebugProtocol.Response>, title: string, command: string): string {
  // `body.error` is optional in the protocol.
  const { error } = (body ?? {}) as Partial<DebugProtocol.ErrorResponse['body']>
  const variables = error?.variables ?? {}
  const format = error?.format?.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? String(variables[name]) : whole,
  )
  const text = format ?? message ?? ''
  return text.trim() === '' ? `${title} refused "${command}".` : text.slice(0, 10_000)
}
