import { toFailure } from '../../shared/errors.ts'
import type { SettingsStore } from '../settings/settingsStore.ts'
import type { WorkspaceSession } from './workspaceServices.ts'

/** Applies changed MCP settings to the servers of the open folder. */
export function applyMcpSettings(
  settings: Pick<SettingsStore, 'get' | 'onChanged'>,
  session: () => Pick<WorkspaceSession, 'mcp'> | undefined,
  warn: (message: string) => void,
): void {
  let applied = JSON.stringify(settings.get().mcp)
  settings.onChanged(({ mcp }) => {
    const changed = JSON.stringify(mcp)
    if (changed === applied) return
    applied = changed
    session()
      ?.mcp.refresh()
      .catch((error: unknown) => warn(toFailure(error).message))
  })
}
