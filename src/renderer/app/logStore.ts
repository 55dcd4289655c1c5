import { create } from 'zustand'
import type { LogTail } from '../../shared/bridge/appState.ts'
import { request } from '../platform/bridge/bridge.ts'

/** The end of the log that the dialog shows; null while it is closed. */
export const useLog = create<{ log: LogTail | null }>(() => ({ log: null }))

export async function openLog(): Promise<void> {
  useLog.setState({ log: await request('log.read', {}) })
}
