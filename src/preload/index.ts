import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { ipcChannel } from '../shared/ipcChannel.ts'
import type { MainMessage, WindowMessage } from '../shared/protocol.ts'

/** The desktop window's whole access to the outside: one channel each way, and the paths of dropped files. */
contextBridge.exposeInMainWorld('tizona', {
  post(message: WindowMessage): void {
    ipcRenderer.send(ipcChannel.toMain, message)
  },
  /** @returns unsubscribe */
  onMessage(listener: (message: MainMessage) => void): () => void {
    // The event object holds the sender and stays here.
    const forward = (_event: unknown, message: MainMessage): void => listener(message)
    ipcRenderer.on(ipcChannel.toWindow, forward)
    return () => void ipcRenderer.off(ipcChannel.toWindow, forward)
  },
  /** Where a file that the user dropped or chose is on disk; empty for one that a page made. */
  pathOf: (file: File): string => webUtils.getPathForFile(file),
})
