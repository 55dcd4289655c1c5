import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IpcMain, WebContents } from 'electron'
import { WebSocket } from 'ws'
import { decodeMessage, encodeMessage } from '../../../shared/messageFrames.ts'
import type { MainMessage } from '../../../shared/protocol.ts'
import type { Core } from '../../core.ts'
import { startBrowserHost, type BrowserHost } from '../browser/browserServer.ts'
import { connectWindow } from '../windowConnection.ts'
import { appUrl } from '../electron/appProtocol.ts'
import { connectContents } from '../electron/ipcTransport.ts'

/** The window's end of either host. */
export interface Wire {
  send(message: unknown): void
  /** The next message main sent. */
  next(): Promise<MainMessage>
  /** The window goes away. */
  close(): void
}

export interface HostUnderTest {
  /** A connected window. */
  open(): Promise<Wire>
  stop(): Promise<void>
}

/** Messages in order, for whoever waits or comes later. */
export class Inbox<T> {
  private readonly messages: T[] = []
  private readonly waiting: ((message: T) => void)[] = []

  put(message: T): void {
    const waiter = this.waiting.shift()
    if (waiter === undefined) this.messages.push(message)
    else waiter(message)
  }

  take(): Promise<T> {
    const message = this.messages.shift()
    return message === undefined
      ? new Promise((resolve) => {
          this.waiting.push(resolve)
        })
      : Promise.resolve(message)
  }
}

/** A built window in miniature, so that no build is needed. */
export async function tinyWindow(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-window-'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tizona</title>')
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export const originOf = (host: BrowserHost): string => `http://127.0.0.1:${host.port}`

/** Exchanges a fresh one-time token, as the window does when it opens. */
export async function newSecret(host: BrowserHost): Promise<string> {
  const token = host.address().split('#token=')[1]
  const response = await fetch(`${originOf(host)}/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: originOf(host) },
    body: JSON.stringify({ token }),
  })
  // The server's own answer.
  return ((await response.json()) as { secret: string }).secret
}

export function openSocket(host: BrowserHost, headers: Record<string, string> = {}): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${host.port}/bridge`, { headers: { Origin: originOf(host), ...headers } })
}

/** The real server with real sockets. */
export async function browserHost(core: Core): Promise<HostUnderTest> {
  const window = await tinyWindow()
  const host = await startBrowserHost({ core, assets: window.folder })
  return {
    async open() {
      const inbox = new Inbox<MainMessage>()
      const secret = await newSecret(host)
      const socket = openSocket(host)
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
        // The first message is the welcome.
        socket.once('message', () => {
          // `ws` hands over buffers; what they hold is main's own envelope.
          socket.on('message', (data: Buffer, binary) =>
            inbox.put(decodeMessage(binary ? data : data.toString()) as MainMessage),
          )
          resolve()
        })
      })
      return {
        send: (message) =>
          socket.send(
            typeof message === 'object' && message !== null ? encodeMessage(message) : JSON.stringify(message),
          ),
        next: () => inbox.take(),
        close: () => socket.close(),
      }
    },
    async stop() {
      await host.close()
      await window.remove()
    },
  }
}

/** What Electron's main process offers to ipc.ts, with messages copied as Electron copies them. */
export class FakeElectron {
  readonly ipcMain = new EventEmitter()
  private readonly core: Core
  private last: FakeContents | null = null

  constructor(core: Core) {
    this.core = core
  }

  /** A window whose page has loaded. Messages go to `ipcRenderer`, as the preload knows it. */
  window(ipcRenderer: EventEmitter): FakeContents {
    const contents = new FakeContents(ipcRenderer)
    // The parts of IpcMain and WebContents that ipc.ts uses are there; the rest of Electron is not.
    connectContents(
      this.ipcMain as unknown as IpcMain,
      contents as unknown as WebContents,
      (transport) => void connectWindow(this.core, transport),
    )
    this.last = contents
    return contents
  }

  /** As `ipcRenderer.send` of a page's main frame. */
  fromPage(
    channel: string,
    message: unknown,
    sender: { contents?: FakeContents; frame?: { url: string } | null } = {},
  ): void {
    const contents = sender.contents ?? this.last
    const senderFrame = sender.frame === undefined ? contents?.mainFrame : sender.frame
    this.ipcMain.emit(channel, { sender: contents, senderFrame }, structuredClone(message))
  }
}

export class FakeContents extends EventEmitter {
  readonly mainFrame = { url: appUrl }
  private readonly ipcRenderer: EventEmitter
  private gone = false

  constructor(ipcRenderer: EventEmitter) {
    super()
    this.ipcRenderer = ipcRenderer
  }

  send(channel: string, message: unknown): void {
    if (this.gone) throw new TypeError('Object has been destroyed')
    this.ipcRenderer.emit(channel, {}, structuredClone(message))
  }

  isDestroyed(): boolean {
    return this.gone
  }

  destroy(): void {
    this.gone = true
    this.emit('destroyed')
  }
}
