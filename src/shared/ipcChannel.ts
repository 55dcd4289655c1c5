/** Electron's one channel each way. In a module of its own, because the preload script must not bring the protocol's schemas along. */
export const ipcChannel = { toMain: 'tizona:to-main', toWindow: 'tizona:to-window' } as const
