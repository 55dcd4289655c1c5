import type { IpcMain, IpcMainEvent, WebContents } from 'electron'
import { ipcChannel } from '../../../shared/bridge/ipcChannel.ts'
import type { MainMessage } from '../../../shared/bridge/protocol.ts'
import type { Transport } from '../windowConnection.ts'
import { isAppUrl } from './appProtocol.ts'
import { log } from '../../base/log/log.ts'

interface OpenTransport {
  receive(message: unknown): void
  close(): void
}

/**
 * Connects the main process and one window. Each document loaded in the window gets its own transport when it sends its
 * first message: nothing is sent before the document listens, and it receives no message for the previous document.
 * Messages from any other sender are dropped.
 */
export function connectContents(
  ipcMain: Pick<IpcMain, 'on' | 'off'>,
  contents: WebContents,
  connect: (transport: Transport) => void,
): void {
  let current: OpenTransport | null = null
  const closeCurrent = (): void => {
    current?.close()
    current = null
  }
  const onMessage = (event: IpcMainEvent, message: unknown): void => {
    // Every window has its own listener.
    if (event.sender !== contents) return
    if (!isOwnPage(event, contents)) {
      log.warn(`A message from ${event.senderFrame?.url ?? 'a closed frame'} was refused.`)
      return
    }
    current ??= openTransport(contents, connect)
    current.receive(message)
  }
  ipcMain.on(ipcChannel.toMain, onMessage)
  contents.on('did-navigate', closeCurrent)
  contents.on('render-process-gone', closeCurrent)
  contents.once('destroyed', () => {
    closeCurrent()
    ipcMain.off(ipcChannel.toMain, onMessage)
  })
}

/** Whether the sender is the window's main frame and shows the application's page. */
function isOwnPage(event: IpcMainEvent, contents: WebContents): boolean {
  const frame = event.senderFrame
  return frame !== null && frame === contents.mainFrame && isAppUrl(frame.url)
}

function openTransport(contents: WebContents, connect: (transport: Transport) => void): OpenTransport {
  let open = true
  let receive: (message: unknown) => void = () => {}
  const closeListeners: (() => void)[] = []
  connect({
    send(message: MainMessage) {
      if (open && !contents.isDestroyed()) contents.send(ipcChannel.toWindow, message)
    },
    onMessage(listener) {
      receive = listener
    },
    onClose(listener) {
      closeListeners.push(listener)
    },
  })
  return {
    receive: (message) => receive(message),
    close() {
      open = false
      for (const listener of closeListeners.splice(0)) listener()
    },
  }
}
