import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { isAbort, toFailure, ToolError } from '../../../shared/errors.ts'
import type { RemoteConnection as ConnectionState } from '../../../shared/remote/remote.ts'
import { log } from '../../base/log/log.ts'
import { frameParts, readFrames, type Frame } from './frames.ts'
import { createReliableChannel, type FrameLine } from './reliableChannel.ts'
import { welcomeSchema } from './remoteProtocol.ts'

export interface RemoteConnectionOptions {
  /** Opens a stream to the server. */
  reach(signal: AbortSignal): Promise<Duplex>
  /** Called with each message of the server. If it throws, the connection ends and waits for the user. */
  deliver(message: unknown): void
  onState(state: ConnectionState): void
  /**
   * Called when the connection continues without messages that were under way: the server has restarted (`new`), or
   * too much came together (`known`).
   */
  onGap(state: 'new' | 'known'): void
  onWorking(working: boolean): void
}

/** The connection of a window to the server on its host. It returns after each cut until it is closed. */
export interface RemoteConnection {
  /** Connects for the first time. @throws the error of `reach` */
  open(signal: AbortSignal): Promise<void>
  /** Connects for the first time like after a cut: reports each attempt, and waits for the user if they are needed. */
  begin(): void
  /** Sends a message now, or when the connection has returned. */
  send(message: object): void
  /** Tries to connect at once, instead of waiting or of the attempt that runs. */
  retry(): void
  /** Whether messages arrive at once. */
  isConnected(): boolean
  /** Whether the server may not have all messages. */
  hasUnconfirmed(): boolean
  /** Resolves when everything that was sent has left this process, at most after `timeout` milliseconds. */
  close(timeout: number): Promise<void>
}

/** Milliseconds without any byte after which the line is probed, and those that it has to answer. */
const quietTime = 5000
const answerTime = 10_000
/** Milliseconds between looks at the clock. If it has jumped, the machine was suspended. */
const tick = 1000
const suspendedAfter = 4000
/** After a suspend, the line is most often dead. */
const answerTimeAfterSuspend = 2500
/** Milliseconds that the server has to answer a hello. It may have to create the core. */
const welcomeTime = 30_000

const firstDelay = 500
const maxDelay = 15_000
/** Milliseconds after which a connection that carried no message counts as good. */
const goodAfter = 30_000
/** Returns the delay in milliseconds before an attempt (1-based). The first one starts at once. */
const retryDelay = (attempt: number): number =>
  attempt === 1 ? 0 : Math.min(maxDelay, firstDelay * 2 ** (attempt - 2))

export const connected: ConnectionState = { connection: 'connected', attempt: 0, problem: null }

// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide the state of the connection.
export function createRemoteConnection(options: RemoteConnectionOptions): RemoteConnection {
  const id = randomBytes(24).toString('base64url')
  const channel = createReliableChannel({ deliver })
  const closed = new AbortController()
  let stream: Duplex | null = null
  let wake: (() => void) | null = null
  let wasConnected = false
  /** Ends the attempt that runs. */
  let running: AbortController | null = null
  /** Attempts since the last connection that carried a message or lasted. */
  let failures = 0
  let isCarrying = false
  /** The server has sent a message that was refused. */
  let isRefused = false
  let welcomedAt = 0

  function deliver(message: unknown): void {
    try {
      options.deliver(message)
    } catch (error) {
      log.error('A message of a host was refused, and its connection ended', error)
      isRefused = true
      stream?.destroy()
    }
  }

  /** Opens a stream and introduces the window. Resolves when messages can be sent. */
  async function connect(signal: AbortSignal): Promise<void> {
    const opened = await options.reach(signal)
    if (signal.aborted) {
      opened.destroy()
      throw signal.reason
    }
    opened.on('error', () => opened.destroy())
    const line: FrameLine = {
      write(parts) {
        if (!opened.destroyed) for (const part of parts) opened.write(part)
      },
      destroy: () => void opened.destroy(),
    }
    const watch = watchLine(line)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new ToolError('timeout', 'The server on the host did not answer.', 'Connect again.'))
        opened.destroy()
      }, welcomeTime)
      let isWelcome = false
      const abandon = (): void => void opened.destroy()
      signal.addEventListener('abort', abandon, { once: true })
      opened.once('close', () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abandon)
        watch.stop()
        channel.detach(line)
        if (!isWelcome)
          return reject(new ToolError('network_error', 'The connection to the host ended.', 'Connect again.'))
        if (stream !== opened) return
        stream = null
        if (isCarrying || performance.now() - welcomedAt > goodAfter) failures = 0
        if (!closed.signal.aborted) void reconnect()
      })
      // A long message takes longer than a line may be silent.
      opened.on('data', watch.heard)
      readFrames(opened, (frame) => {
        if (isWelcome) return accept(frame)
        if (frame.kind !== 'welcome') return
        clearTimeout(timer)
        try {
          welcome(frame, line)
        } catch (error) {
          reject(error as Error)
          return void opened.destroy()
        }
        isWelcome = true
        signal.removeEventListener('abort', abandon)
        isCarrying = false
        welcomedAt = performance.now()
        stream = opened
        resolve()
      })
      line.write(frameParts('hello', 0, Buffer.from(JSON.stringify({ window: id, position: channel.position() }))))
    })
    options.onState(connected)
  }

  function accept(frame: Frame): void {
    if (frame.kind === 'pong') return
    const before = channel.position().received
    channel.accept(frame)
    if (channel.position().received > before) isCarrying = true
  }

  function welcome({ payload }: Frame, line: FrameLine): void {
    const parsed = welcomeSchema.parse(JSON.parse(payload.toString('utf8')))
    if ('problem' in parsed) throw new ToolError('conflict', parsed.problem, 'Close other windows of this host.')
    const { state, position, working } = parsed
    if (wasConnected && state === 'new') channel.reset()
    const isGap = channel.attach(line, position)
    if (wasConnected && (state === 'new' || isGap)) options.onGap(state)
    wasConnected = true
    options.onWorking(working)
  }

  /** Pauses before an attempt. `retry` ends the pause. */
  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(finish, milliseconds)
      function finish(): void {
        clearTimeout(timer)
        wake = null
        resolve()
      }
      wake = finish
    })
  }

  function waitForUser(attempt: number, problem: string): Promise<void> {
    options.onState({ connection: 'lost', attempt, problem })
    return pause(2 ** 31 - 1)
  }

  async function reconnect(): Promise<void> {
    let problem: string | null = null
    if (isRefused) {
      isRefused = false
      await waitForUser(0, 'The host sent a message that Tizona does not understand.')
    }
    for (let attempt = 1; !closed.signal.aborted; attempt++) {
      failures += 1
      options.onState({ connection: 'reconnecting', attempt, problem })
      await pause(retryDelay(failures))
      if (closed.signal.aborted) return
      try {
        running = new AbortController()
        return await connect(AbortSignal.any([closed.signal, running.signal]))
      } catch (error) {
        if (closed.signal.aborted) return
        const failure = toFailure(error)
        problem = failure.message
        log.warn(`A window could not connect to its host again: ${problem}`)
        if (running?.signal.aborted === true) failures = 0
        else if (needsUser(error)) await waitForUser(attempt, problem)
      }
    }
  }

  return {
    begin: () => void reconnect(),
    open: (signal) => connect(AbortSignal.any([signal, closed.signal])),
    send: channel.send,
    retry() {
      if (wake !== null) wake()
      else running?.abort(new ToolError('cancelled', 'The attempt was ended to begin again.'))
    },
    isConnected: () => stream !== null,
    hasUnconfirmed: channel.hasUnconfirmed,
    async close(timeout) {
      closed.abort(new DOMException('The window was closed.', 'AbortError'))
      wake?.()
      const last = stream
      if (last === null) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout)
        // The server ends the connection when it has read the last message.
        last.once('close', () => {
          clearTimeout(timer)
          resolve()
        })
      })
      last.destroy()
    },
  }
}

/** Whether another attempt would only fail, or ask the same again. */
function needsUser(error: unknown): boolean {
  if (isAbort(error)) return true
  const { code, message } = toFailure(error)
  return code !== 'network_error' && code !== 'timeout'
    ? true
    : /permission denied|host key verification/i.test(message)
}

/** Ends a line that no longer answers. After a suspend, it looks at once. */
function watchLine(line: FrameLine): { heard(): void; stop(): void } {
  let lastHeard = performance.now()
  let lastTick = Date.now()
  let probedAt: number | null = null
  let allowed = answerTime

  function probe(time: number): void {
    probedAt = performance.now()
    allowed = time
    line.write(frameParts('ping', 0))
  }

  const timer = setInterval(() => {
    const now = Date.now()
    const isSuspended = now - lastTick > tick + suspendedAfter
    lastTick = now
    if (isSuspended) probe(answerTimeAfterSuspend)
    else if (probedAt !== null) {
      if (performance.now() - probedAt > allowed) line.destroy()
    } else if (performance.now() - lastHeard > quietTime) probe(answerTime)
  }, tick)

  function heard(): void {
    lastHeard = performance.now()
    probedAt = null
  }
  return { heard, stop: () => clearInterval(timer) }
}
