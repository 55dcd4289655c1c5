import { toFailure } from '../../shared/errors.ts'
import type { SettingsStore } from '../settings/settingsStore.ts'
import type { WorkspaceSession } from './workspaceSession.ts'

/**
 * Applies changes of the settings to the MCP servers and language servers of the open folder. Those of commands turn the
 * sandbox on and off.
 */
export function applyServerSettings(
  settings: Pick<SettingsStore, 'get' | 'onChanged'>,
  session: () => Pick<WorkspaceSession, 'mcp' | 'languages'> | undefined,
  warn: (message: string) => void,
): void {
  const sections = ['mcp', 'languageServers', 'commands'] as const
  const valueOf = (section: (typeof sections)[number]) => JSON.stringify(settings.get()[section])
  const applied = new Map(sections.map((section) => [section, valueOf(section)]))
  settings.onChanged(() => {
    for (const section of sections) {
      if (valueOf(section) === applied.get(section)) continue
      applied.set(section, valueOf(section))
      const open = session()
      const refreshed = section === 'mcp' ? open?.mcp.refresh() : open?.languages.refresh()
      refreshed?.catch((error: unknown) => warn(toFailure(error).message))
    }
  })
}
