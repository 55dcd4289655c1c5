import { link, rename, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import type { z } from 'zod'
import { errorCode } from '../../base/fileErrors.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import type { DesktopModels } from '../../appServices/platform.ts'
import { connectWindow } from '../windowConnection.ts'
import { frameParts, readFrames, type Frame } from './frames.ts'
import { createModelRelay, type ModelRelay } from '../../core/remoteModels/modelRelay.ts'
import { createReliableChannel, type ChannelPosition, type FrameLine, type ReliableChannel } from './reliableChannel.ts'
import { controlToHostSchema, helloSchema, type ControlToWindow, type Welcome } from './remoteProtocol.ts'

export interface RemoteServerOptions {
  /** Path of the socket, in a folder that only the user can enter. */
  address: string
  /**
   * Creates the core of a window.
   * @param openWindow opens a folder in another window of the desktop
   * @param models on the computer of the window
   */
  createCore(openWindow: (folder: string | undefined) => Promise<void>, models: DesktopModels): Promise<Core>
  /** Milliseconds for which a window without a connection keeps its core. */
  grace?: number
  /** Milliseconds without any window after which the server ends. */
  idle?: number
  /** Called when the server has ended by itself. */
  onIdle?(): void
}

export interface RemoteServer {
  close(): Promise<void>
}

const hour = 3_600_000
/** Maximum number of windows of all desktops. */
const maxWindows = 32
/** Milliseconds between checks whether windows can still reach the server. */
const watchInterval = 60_000
/** Milliseconds that a connection has to introduce itself. */
const helloTimeout = 10_000
/** Milliseconds between signs of life while bytes arrive. */
const lifeInterval = 1000

/** A window of a desktop, whose core outlives its connections. */
interface RemoteWindow {
  core: Core
  channel: ReliableChannel
  models: ModelRelay
  line: FrameLine | null
  /** Ends the window that does not return. */
  ending: ReturnType<typeof setTimeout> | undefined
  /** Disconnects the core from its window. */
  leave(): void
}

/**
 * Serves cores to windows on other machines, over a socket that only the user can open. A window whose connection broke
 * keeps its core, with its turns and terminals, and continues when it connects again.
 *
 * @throws Error `EADDRINUSE` if another server runs
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide the windows and sockets that all parts share.
export async function startRemoteServer({
  address,
  createCore,
  grace = 24 * hour,
  idle = 300_000,
  onIdle,
}: RemoteServerOptions): Promise<RemoteServer> {
  const windows = new Map<string, Promise<RemoteWindow>>()
  const sockets = new Set<Socket>()
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let isClosing = false

  function endWhenIdle(): void {
    clearTimeout(idleTimer)
    if (windows.size > 0 || sockets.size > 0 || isClosing) return
    idleTimer = setTimeout(() => void close().then(onIdle), idle)
  }

  async function endWindow(id: string): Promise<void> {
    const window = await windows.get(id)?.catch(() => undefined)
    windows.delete(id)
    if (window === undefined) return endWhenIdle()
    clearTimeout(window.ending)
    window.line?.destroy()
    window.models.failAll()
    window.leave()
    await window.core.dispose().catch((error: unknown) => log.error('A window was not closed completely', error))
    endWhenIdle()
  }

  async function createWindow(id: string): Promise<RemoteWindow> {
    // Its core needs them before there is a window.
    const later: { window?: RemoteWindow } = {}
    const control = (message: ControlToWindow) => later.window?.channel.send(message)
    const models = createModelRelay(
      (message) => later.window?.channel.send(message),
      () => Boolean(later.window?.line),
    )
    const core = await createCore(
      async (folder) => control({ kind: 'control', name: 'openWindow', folder: folder ?? null }),
      models,
    )
    return (later.window = attachCore(core, models, () => void endWindow(id), control))
  }

  /** Returns the window of a hello, and whether it was there. */
  async function windowOf(id: string): Promise<{ window: RemoteWindow; isNew: boolean }> {
    const known = windows.get(id)
    if (known !== undefined) return { window: await known, isNew: false }
    if (windows.size >= maxWindows) throw new Error(`More than ${maxWindows} windows are connected to this machine.`)
    const created = createWindow(id)
    windows.set(id, created)
    created.catch(() => windows.delete(id))
    return { window: await created, isNew: true }
  }

  async function greet(socket: Socket, hello: z.output<typeof helloSchema>): Promise<RemoteWindow | null> {
    const { window, isNew } = await windowOf(hello.window)
    if (socket.destroyed) {
      if (window.line === null) waitForReturn(hello.window, window)
      return null
    }
    clearTimeout(window.ending)
    const position = window.channel.position()
    // A window that this server does not know begins again, whatever it has sent to an earlier one.
    const peer: ChannelPosition = isNew ? { received: 0, first: 1 } : hello.position
    const welcome: Welcome = { state: isNew ? 'new' : 'known', position, working: window.core.isWorking() }
    const write = (parts: readonly Uint8Array[]): void => {
      for (const part of parts) socket.write(part)
    }
    write(frameParts('welcome', 0, Buffer.from(JSON.stringify(welcome))))
    const line: FrameLine = { write, destroy: () => socket.destroy() }
    if (window.channel.attach(line, peer)) window.models.failAll()
    window.line = line
    socket.once('close', () => {
      window.channel.detach(line)
      if (window.line !== line) return
      window.line = null
      waitForReturn(hello.window, window)
    })
    return window
  }

  function waitForReturn(id: string, window: RemoteWindow): void {
    clearTimeout(window.ending)
    window.ending = setTimeout(() => void endWindow(id), grace)
  }

  function accept(socket: Socket): void {
    sockets.add(socket)
    clearTimeout(idleTimer)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      endWhenIdle()
    })
    const timeout = setTimeout(() => socket.destroy(), helloTimeout)
    let window: RemoteWindow | null = null
    /** Frames that arrive while the core is created. */
    let early: Frame[] | null = null
    let reportedAt = -lifeInterval
    // The other side hears that a long message arrives.
    socket.on('data', () => {
      if (window === null || performance.now() - reportedAt < lifeInterval) return
      reportedAt = performance.now()
      for (const part of frameParts('pong', 0)) socket.write(part)
    })
    readFrames(socket, (frame) => {
      if (frame.kind === 'ping') for (const part of frameParts('pong', 0)) socket.write(part)
      else if (window !== null) window.channel.accept(frame)
      else if (early !== null) early.push(frame)
      else {
        clearTimeout(timeout)
        const hello = parseHello(frame)
        if (hello === null) return void socket.destroy()
        early = []
        greet(socket, hello).then(
          (greeted) => {
            window = greeted
            for (const each of early ?? []) window?.channel.accept(each)
          },
          (error: unknown) => {
            log.error('A window could not be connected', error)
            const problem = error instanceof Error ? error.message : String(error)
            socket.end(Buffer.concat(frameParts('welcome', 0, Buffer.from(JSON.stringify({ problem })))))
          },
        )
      }
    })
  }

  const server = createServer(accept)
  const inode = await listenAt(server, address)
  const isReachable = async (): Promise<boolean> => (await stat(address).catch(() => null))?.ino === inode
  // Without its socket, for example because the home folder was removed, no window can return.
  const watch = setInterval(
    async () => {
      if (sockets.size === 0 && !isClosing && !(await isReachable())) void close().then(onIdle)
    },
    Math.min(idle, watchInterval),
  )
  endWhenIdle()

  async function close(): Promise<void> {
    if (isClosing) return
    isClosing = true
    clearTimeout(idleTimer)
    clearInterval(watch)
    // A later server may have taken the address over.
    if (await isReachable()) await rm(address, { force: true })
    server.close()
    await Promise.all([...windows.keys()].map(endWindow))
    for (const socket of sockets) socket.destroy()
  }
  return { close }
}

/** Connects a core and the channel of its window. @param onEnd called when the user closes the window */
function attachCore(
  core: Core,
  models: ModelRelay,
  onEnd: () => void,
  control: (message: ControlToWindow) => void,
): RemoteWindow {
  let receive: (message: unknown) => void = () => undefined
  let leave: () => void = () => undefined
  const channel = createReliableChannel({
    deliver(message) {
      const own = controlToHostSchema.safeParse(message)
      if (own.success) onEnd()
      else if (!models.accept(message)) receive(message)
    },
  })
  connectWindow(core, {
    send: channel.send,
    onMessage: (listener) => void (receive = listener),
    onClose: (listener) => void (leave = listener),
  })
  let working = false
  core.subscribe((name) => {
    if (!/^(?:conversation\.(?:status|turnEnded)|job\.changed|approval\.|sessions\.)/.test(name)) return
    // The next turn of a queue starts right after the event.
    setImmediate(() => {
      if (core.isWorking() === working) return
      working = !working
      control({ kind: 'control', name: 'working', working })
    })
  })
  return { core, channel, models, line: null, ending: undefined, leave: () => leave() }
}

function parseHello({ kind, payload }: Frame): z.output<typeof helloSchema> | null {
  if (kind !== 'hello') return null
  try {
    return helloSchema.parse(JSON.parse(payload.toString('utf8')))
  } catch {
    return null
  }
}

/**
 * Listens at an address that a killed server may have left behind. Of two servers that start at once, one gets it.
 * @returns the inode of the socket
 * @throws Error `EADDRINUSE` if another server listens there
 */
async function listenAt(server: ReturnType<typeof createServer>, address: string): Promise<number> {
  const own = `${address}.${process.pid}`
  await rm(own, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(own, resolve)
  })
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        await link(own, address)
        break
      } catch (error) {
        if (errorCode(error) !== 'EEXIST' || attempt > 3) throw error
        if (await isServed(address)) throw Object.assign(new Error('Another server runs.'), { code: 'EADDRINUSE' })
        const stale = `${address}.stale-${process.pid}`
        await rename(address, stale).catch(() => undefined)
        await rm(stale, { force: true })
      }
    }
    return (await stat(address)).ino
  } catch (error) {
    server.close()
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

function isServed(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}
