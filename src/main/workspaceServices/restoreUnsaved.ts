import type { Emit } from '../agent/transcript.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'
import { openUnsavedBackups, type UnsavedBackups } from '../workspace/unsavedBackups.ts'

/** Restores unsaved text of an earlier process into the buffers, and backs up changes from now on. */
export async function restoreUnsaved(
  { root }: Workspace,
  buffers: Buffers,
  userData: string,
  emit: Emit,
): Promise<UnsavedBackups> {
  const backups = await openUnsavedBackups({
    userData,
    root,
    state: buffers.get,
    onNotice: (message) => emit('notice', { level: 'error', message }),
  })
  for (const state of backups.restored) buffers.sync({ ...state, open: true })
  buffers.onChanged(backups.changed)
  return backups
}
