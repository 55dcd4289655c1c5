/**
 * Names of the Electron IPC channels. This file has no imports, because the preload script cannot load packages such as
 * zod.
 */
export const ipcChannel = { toMain: 'tizona:to-main', toWindow: 'tizona:to-window' } as const
