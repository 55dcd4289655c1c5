import { contextBridge, ipcRenderer } from 'electron'
import { ipcChannel } from '../shared/ipcChannel.ts'
import type { MainMessage, WindowMessage } from '../shared/protocol.ts'

/** The desktop window's whole access to the outside: one channel each way. */
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
})
