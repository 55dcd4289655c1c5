import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IpcMain, WebContents } from 'electron'
import { WebSocket } from 'ws'
import {
  decodeMessage,
  encodeMessage,
  textPath,
  attachText,
  type FetchedMessage,
} from '../../../shared/bridge/messageFrames.ts'
import type { MainMessage } from '../../../shared/bridge/protocol.ts'
import type { Core } from '../../core.ts'
import { startBrowserHost, type BrowserHost } from '../browser/browserServer.ts'
import { connectWindow } from '../windowConnection.ts'
import { appUrl } from '../electron/appProtocol.ts'
import { connectContents } from '../electron/ipcTransport.ts'

/** The window's end of a connection to the desktop or the browser host. */
export interface Wire {
  send(message: unknown): void
  /** Resolves with the next message from main. */
  next(): Promise<MainMessage>
  /** Closes the window. */
  close(): void
}

export interface HostUnderTest {
  /** Connects a window. */
  open(): Promise<Wire>
  stop(): Promise<void>
}

/** An asynchronous queue of messages. */
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

/** Creates a folder with a minimal built window, so that tests need no build. */
export async function tinyWindow(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-window-'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tizona</title>')
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export const originOf = (host: BrowserHost): string => `http://127.0.0.1:${host.port}`

/** Exchanges a new one-time token for a session secret, as the window does. */
export async function newSecret(host: BrowserHost): Promise<string> {
  const token = host.address().split('#token=')[1]
  const response = await fetch(`${originOf(host)}/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: originOf(host) },
    body: JSON.stringify({ token }),
  })
  // The format of requestAuthentication.ts.
  return ((await response.json()) as { secret: string }).secret
}

/** Fetches a long text, as the window does. */
export function fetchText(host: BrowserHost, id: string, origin = originOf(host)): Promise<Response> {
  return fetch(`${originOf(host)}${textPath}${id}`, { method: 'POST', headers: { Origin: origin } })
}

export function openSocket(host: BrowserHost, headers: Record<string, string> = {}): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${host.port}/bridge`, { headers: { Origin: originOf(host), ...headers } })
}

/** Starts the browser host with real sockets. */
export async function browserHost(core: Core): Promise<HostUnderTest> {
  const window = await tinyWindow()
  const host = await startBrowserHost({ core, assets: window.folder })
  return {
    async open() {
      const inbox = new Inbox<MainMessage>()
      const completed = async ({ text, ...header }: FetchedMessage): Promise<MainMessage> => {
        const response = await fetchText(host, text)
        return attachText(header, new Uint8Array(await response.arrayBuffer())) as MainMessage
      }
      const secret = await newSecret(host)
      const socket = openSocket(host)
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
        // The first message is the welcome.
        socket.once('message', () => {
          // `ws` passes buffers with messages that main has encoded.
          let last = Promise.resolve()
          socket.on('message', (data: Buffer, binary) => {
            const message = decodeMessage(binary ? data : data.toString()) as MainMessage | FetchedMessage
            // In order, as the window handles them.
            last = last.then(async () => inbox.put(message.kind === 'fetch' ? await completed(message) : message))
          })
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

/**
 * The subset of Electron's main process that ipcTransport.ts uses. Messages are copied by structured clone, as in
 * Electron.
 */
export class FakeElectron {
  readonly ipcMain = new EventEmitter()
  private readonly core: Core
  private last: FakeContents | null = null

  constructor(core: Core) {
    this.core = core
  }

  /** Creates a window whose page has loaded. Messages to the page are emitted on `ipcRenderer`. */
  window(ipcRenderer: EventEmitter): FakeContents {
    const contents = new FakeContents(ipcRenderer)
    // The fakes implement only the members of IpcMain and WebContents that ipcTransport.ts uses.
    connectContents(
      this.ipcMain as unknown as IpcMain,
      contents as unknown as WebContents,
      (transport) => void connectWindow(this.core, transport),
    )
    this.last = contents
    return contents
  }

  /** Sends a message to main, like `ipcRenderer.send` in a page's main frame. */
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
