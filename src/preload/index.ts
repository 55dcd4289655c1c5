import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { ipcChannel } from '../shared/bridge/ipcChannel.ts'
import type { MainMessage, WindowMessage } from '../shared/bridge/protocol.ts'

/**
 * The desktop window's only access to the main process: messages in both directions, and the paths of dropped files.
 */
contextBridge.exposeInMainWorld('tizona', {
  post(message: WindowMessage): void {
    ipcRenderer.send(ipcChannel.toMain, message)
  },
  /** @returns a function that unsubscribes */
  onMessage(listener: (message: MainMessage) => void): () => void {
    // The page must not receive the event, which refers to the IPC sender.
    const forward = (_event: unknown, message: MainMessage): void => listener(message)
    ipcRenderer.on(ipcChannel.toWindow, forward)
    return () => void ipcRenderer.off(ipcChannel.toWindow, forward)
  },
  /** Returns the absolute path of a file that the user dropped or chose, or '' for a file that a page created. */
  pathOf: (file: File): string => webUtils.getPathForFile(file),
})
