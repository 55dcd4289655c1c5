/** Names of the Electron IPC channels. A separate module keeps the protocol's schemas out of the preload script. */
export const ipcChannel = { toMain: 'tizona:to-main', toWindow: 'tizona:to-window' } as const
