import { create } from 'zustand'
import type { AuditLog } from '../../shared/tools/audit.ts'
import { request } from '../platform/bridge/bridge.ts'

/** The decisions that the dialog shows; null while it is closed. */
export const useAudit = create<{ audit: AuditLog | null }>(() => ({ audit: null }))

/** Opens the dialog with the decisions about tool calls. */
export async function openAudit(): Promise<void> {
  useAudit.setState({ audit: await request('audit.read', {}) })
}
