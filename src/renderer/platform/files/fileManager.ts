import { revealLabel } from '../platformLabels.ts'
import { request } from '../bridge/bridge.ts'
import { currentPlatform, hostFeatures } from '../appState.ts'
import { attempt } from '../notices.ts'
import type { MenuItem } from '../../ui/index.ts'

/** Returns a menu item that reveals a path in the system's file manager, or none if the host has no file manager. */
export function revealItems(path: string): MenuItem[] {
  if (!hostFeatures().revealFile) return []
  const run = () => attempt(() => request('files.reveal', { path }), 'The file could not be shown')
  return [{ id: 'reveal-in-system', label: revealLabel(currentPlatform()), run }]
}
