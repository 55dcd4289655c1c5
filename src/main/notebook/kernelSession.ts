import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { Delayer } from '../../shared/async/delayer.ts'
import { log } from '../base/log/log.ts'
import { ToolError } from '../../shared/errors.ts'
import type { CellExecution, CellResult, KernelStatus } from '../../shared/notebook/kernels.ts'
import { joinLines } from '../../shared/notebook/notebook.ts'
import {
  addOutput,
  finishedOutputs,
  noOutputs,
  type OutputMessage,
  type RunOutputs,
} from '../../shared/notebook/outputs.ts'
import { outputOf, readMessage, writeMessage, type KernelMessage } from './kernelMessages.ts'
import type { JupyterServer } from './jupyterServer.ts'

/** Milliseconds in which outputs are sent as one. */
const outputDelay = 50
/** Milliseconds after an interrupt until a kernel that still runs is unresponsive. */
const interruptTimeout = 5000
/** Milliseconds without a message after the reply, until a cell ends although its last outputs may be missing. */
const lastOutputsTimeout = 2000
/** Text after the outputs of a cell whose end was not reported. */
const missingNote = 'The kernel did not report the end of the cell. Its last outputs may be missing.\n'
/** Cells that wait. */
const maxQueue = 10_000

export interface RunRequest {
  key: string
  code: string
  /** Whether `input()` asks the user. */
  allowsInput: boolean
  /** Cancels this run only: takes it out of the queue, or interrupts it. */
  signal?: AbortSignal
  /** Called when the kernel gets the code. */
  onStart?(): void
}

/** A kernel that runs the cells of a notebook, one after the other. */
export interface KernelSession {
  status(): KernelStatus
  executions(): CellExecution[]
  /**
   * Runs a cell after those that wait. A failed cell aborts those behind it.
   * @throws ToolError `conflict` if the cell runs or waits already, `too_large`, `server_error`
   */
  run(request: RunRequest): Promise<CellResult>
  /** The run of a cell, if it runs or waits. */
  running(key: string): Promise<CellResult> | undefined
  outputs(key: string): RunOutputs | undefined
  /** Answers `input()`. @throws ToolError `conflict` if the cell does not ask */
  answer(key: string, text: string): void
  interrupt(): Promise<void>
  restart(): Promise<void>
  /** Ends the kernel. Cells that run or wait are aborted. */
  stop(): Promise<void>
}

interface Execution extends RunRequest {
  info: CellExecution
  outputs: RunOutputs
  executionCount: number | null
  messageId: string | undefined
  replied: CellResult['outcome'] | undefined
  isIdle: boolean
  result: PromiseWithResolvers<CellResult>
  /** Stops listening to its signal. */
  stopListening(): void
}

export interface KernelEvents {
  onChanged(): void
  onOutput(key: string, messages: OutputMessage[]): void
  /** The kernel has died or cannot be reached any more. */
  onEnded(reason: string): void
}

/** Connects to a kernel. @throws ToolError `server_error` */
export async function connectKernel(server: JupyterServer, id: string, events: KernelEvents): Promise<KernelSession> {
  const session = createSession(server, id, events)
  await session.connect()
  return session
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One state machine over the queue and the connection.
function createSession(
  server: JupyterServer,
  kernelId: string,
  events: KernelEvents,
): KernelSession & { connect(): Promise<void> } {
  const sessionId = randomUUID()
  let queue: Execution[] = []
  let status: KernelStatus = 'starting'
  let socket: WebSocket | undefined
  let ended = false
  let lastOutputs: ReturnType<typeof setTimeout> | undefined
  let interruptTimer: ReturnType<typeof setTimeout> | undefined
  /** Messages that wait to be sent to the window. */
  let pending: { key: string; messages: OutputMessage[] } | undefined

  const flush = (): void => {
    if (!pending) return
    const { key, messages } = pending
    pending = undefined
    const execution = queue.find((each) => each.key === key)
    if (execution === undefined) return
    // The window needs none of what is left out.
    const added = messages.filter((message) => {
      const before = execution.outputs
      execution.outputs = addOutput(before, message)
      return execution.outputs !== before
    })
    if (added.length > 0) events.onOutput(key, added)
  }
  const flusher = new Delayer(flush, outputDelay)

  function setStatus(next: KernelStatus): void {
    if (status === next) return
    status = next
    events.onChanged()
  }

  function add(key: string, message: OutputMessage): void {
    if (pending && pending.key !== key) flush()
    pending ??= { key, messages: [] }
    const last = pending.messages.at(-1)
    // Programs print in many small pieces.
    if (last?.output_type === 'stream' && message.output_type === 'stream' && last.name === message.name)
      pending.messages[pending.messages.length - 1] = { ...last, text: last.text + message.text }
    else pending.messages.push(message)
    flusher.start()
  }

  /** Takes an execution out of the queue. Starts no other. */
  function settle(execution: Execution, outcome: CellResult['outcome']): void {
    if (pending?.key === execution.key) flush()
    if (execution.messageId !== undefined) clearTimeout(interruptTimer)
    execution.stopListening()
    queue = queue.filter((each) => each !== execution)
    const { code, outputs, executionCount, info, result } = execution
    result.resolve({
      code,
      outputs: finishedOutputs(outputs),
      executionCount,
      outcome,
      durationMs: info.startedAt === undefined ? 0 : Date.now() - info.startedAt,
    })
    events.onChanged()
  }

  function finish(execution: Execution, outcome: CellResult['outcome']): void {
    if (!queue.includes(execution)) return
    const isCancelled = execution.signal?.aborted === true
    settle(execution, isCancelled ? 'aborted' : outcome)
    if (outcome === 'error' && !isCancelled) abort(queue)
    if (queue.length === 0 && status !== 'starting') setStatus('idle')
    startNext()
  }

  function abort(executions: readonly Execution[]): void {
    for (const execution of executions) settle(execution, 'aborted')
  }

  async function interruptCurrent(): Promise<void> {
    await server.request('POST', `/api/kernels/${kernelId}/interrupt`)
    clearTimeout(interruptTimer)
    const [current] = queue
    interruptTimer = setTimeout(() => {
      if (current !== undefined && queue.includes(current)) setStatus('unresponsive')
    }, interruptTimeout)
    interruptTimer.unref()
  }

  function cancel(execution: Execution): void {
    if (!queue.includes(execution)) return
    if (execution.messageId === undefined) settle(execution, 'aborted')
    // One that goes on is unresponsive.
    else interruptCurrent().catch(() => setStatus('unresponsive'))
  }

  function startNext(): void {
    const [next] = queue
    if (next === undefined || next.messageId !== undefined || status === 'starting' || ended) return
    const { id, text } = writeMessage(sessionId, 'shell', 'execute_request', {
      code: next.code,
      silent: false,
      store_history: true,
      user_expressions: {},
      allow_stdin: next.allowsInput,
      stop_on_error: true,
    })
    next.messageId = id
    next.info = { ...next.info, state: 'running', startedAt: Date.now() }
    socket?.send(text)
    next.onStart?.()
    setStatus('busy')
    events.onChanged()
  }

  function end(reason: string): void {
    if (ended) return
    ended = true
    flusher.cancel()
    const [current] = queue
    if (current?.messageId !== undefined)
      add(current.key, { output_type: 'error', ename: 'Kernel', evalue: reason, traceback: [reason] })
    flush()
    abort(queue)
    socket?.terminate()
    events.onEnded(reason)
  }

  function handle(message: KernelMessage): void {
    if (message.type === 'status') {
      const state = message.content['execution_state']
      if (state === 'restarting' || state === 'autorestarting') return died()
      if (state === 'dead') return end('The kernel died.')
    }
    const execution = queue.find(({ messageId }) => messageId !== undefined && messageId === message.parent)
    if (execution === undefined) return
    handleOf(execution, message)
    clearTimeout(lastOutputs)
    const { replied } = execution
    if (replied === undefined) return
    if (execution.isIdle) return finish(execution, replied)
    lastOutputs = setTimeout(() => {
      if (!queue.includes(execution)) return
      add(execution.key, { output_type: 'stream', name: 'stderr', text: missingNote })
      finish(execution, replied)
    }, lastOutputsTimeout)
    lastOutputs.unref()
  }

  /** Handles a message about a cell. */
  function handleOf(execution: Execution, message: KernelMessage): void {
    switch (message.type) {
      case 'execute_input':
      case 'execute_reply': {
        const count = message.content['execution_count']
        if (typeof count === 'number') execution.executionCount = count
        if (message.type === 'execute_input') return
        execution.replied = message.content['status'] === 'ok' ? 'ok' : 'error'
        break
      }
      case 'status':
        execution.isIdle = message.content['execution_state'] === 'idle'
        break
      case 'input_request':
        execution.info = {
          ...execution.info,
          input: {
            prompt: (joinLines(message.content['prompt']) ?? '').slice(0, 1000),
            password: message.content['password'] === true,
          },
        }
        flush()
        events.onChanged()
        return
      default: {
        const output = outputOf(message)
        if (output) add(execution.key, output)
        return
      }
    }
  }

  /** Jupyter starts a kernel again that has died, with nothing in its memory. */
  function died(): void {
    const [current] = queue
    const reason = 'The kernel died and was started again. Variables are gone.'
    if (current?.messageId !== undefined) {
      add(current.key, { output_type: 'error', ename: 'Kernel', evalue: reason, traceback: [reason] })
      finish(current, 'error')
    } else abort(queue)
  }

  async function connect(): Promise<void> {
    const connection = server.channels(kernelId, sessionId)
    const opened = Promise.withResolvers<void>()
    connection.once('open', () => opened.resolve())
    connection.on('error', (error) => opened.reject(error))
    connection.on('message', (data, isBinary) => {
      // A text message is one Buffer.
      const message = isBinary || !Buffer.isBuffer(data) ? null : readMessage(data.toString('utf8'))
      try {
        if (message) handle(message)
      } catch (error) {
        log.error('A message of a kernel was not handled', error)
      }
    })
    connection.on('close', () => {
      if (socket === connection) end('The connection to the kernel was lost.')
    })
    try {
      await opened.promise
    } catch (error) {
      throw new ToolError(
        'server_error',
        `The kernel cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
        'Restart the kernel.',
      )
    }
    socket = connection
    setStatus('idle')
    startNext()
  }

  return {
    connect,
    status: () => status,
    executions: () => queue.map(({ info }) => info),
    run(request) {
      const { key, signal } = request
      if (ended) throw new ToolError('server_error', 'The kernel has ended.', 'Run the cell again.')
      if (queue.some((each) => each.key === key))
        throw new ToolError('conflict', 'The cell runs already, or waits.', 'Run it again when it has ended.')
      if (queue.length >= maxQueue)
        throw new ToolError('too_large', `${maxQueue} cells wait already.`, 'Run the cell when they have ended.')
      const execution: Execution = {
        ...request,
        info: { key, state: 'queued' },
        outputs: noOutputs,
        executionCount: null,
        messageId: undefined,
        replied: undefined,
        isIdle: false,
        result: Promise.withResolvers<CellResult>(),
        stopListening: () => signal?.removeEventListener('abort', onAbort),
      }
      const onAbort = (): void => cancel(execution)
      queue.push(execution)
      if (signal?.aborted) settle(execution, 'aborted')
      signal?.addEventListener('abort', onAbort, { once: true })
      events.onChanged()
      startNext()
      return execution.result.promise
    },
    running: (key) => queue.find((each) => each.key === key)?.result.promise,
    outputs: (key) => {
      if (pending?.key === key) flush()
      return queue.find((each) => each.key === key)?.outputs
    },
    answer(key, text) {
      const execution = queue.find((each) => each.key === key)
      if (execution?.info.input === undefined)
        throw new ToolError('conflict', 'The cell does not wait for input.', 'Run it again.')
      const { prompt, password } = execution.info.input
      const { input: _input, ...info } = execution.info
      execution.info = info
      socket?.send(writeMessage(sessionId, 'stdin', 'input_reply', { value: text }).text)
      // As in a terminal, the answer stays visible.
      add(key, { output_type: 'stream', name: 'stdout', text: `${prompt}${password ? '••••' : text}\n` })
      events.onChanged()
    },
    async interrupt() {
      abort(queue.slice(1))
      await interruptCurrent()
    },
    async restart() {
      setStatus('starting')
      abort(queue)
      try {
        await server.request('POST', `/api/kernels/${kernelId}/restart`)
      } catch (error) {
        setStatus('unresponsive')
        throw error
      }
      setStatus('idle')
      startNext()
    },
    async stop() {
      if (ended) return
      ended = true
      flusher.cancel()
      clearTimeout(interruptTimer)
      abort(queue)
      socket?.terminate()
      // The server may have ended already, and its kernels with it.
      await server.request('DELETE', `/api/kernels/${kernelId}`).catch(() => undefined)
    },
  }
}
